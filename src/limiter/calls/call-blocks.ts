import type { Clock } from '../clock.ts';
import type { Counters } from '../counters.ts';
import { RecentMap } from '../recent-map.ts';
import { CallAccount } from './call-account.ts';
import { type CallCeiling, endOfDayMs } from './call-ceiling.ts';

export interface CallBlocksOptions {
  readonly counters: Pick<Counters, 'check' | 'nowMs'>;
  readonly clock: Clock;
  /** Under which the counters know somebody's calls; see CounterCheck. */
  readonly keyOf: (subject: string) => string;
  /** How many nodes share the counters, this one included. */
  readonly liveNodes: () => number;
  /** Called when the counters gave no answer, and this node goes on by itself. */
  readonly onFault: (subject: string, error: unknown) => void;
  readonly subjectsMax?: number;
  /** Does it once in about a second; absent: what is owed is charged with the next call. */
  readonly later?: (work: () => void) => void;
}

const SUBJECTS_MAX = 100_000;
/** Each time a call waits, all that wait are asked for; a call that is left over so often is one too many. */
const WAITS_MAX = 8;

interface Entry {
  readonly account: CallAccount;
  /** Resolves when the counters have answered or failed; undefined: they are not being asked. */
  answer: Promise<void> | undefined;
  /** Of a ceiling that holds for a day: when the day ends, in the time of the counters. */
  readonly endsAtMs: number;
}

/**
 * Ceilings of calls that all nodes share and hardly a call waits for: a node takes them from the
 * counters in blocks, beforehand. See CallAccount for how exact that is. Bounded; who made no call for long is
 * forgotten, and what was held for him with him.
 */
export class CallBlocks {
  readonly #options: CallBlocksOptions;
  readonly #entries: RecentMap<Entry>;
  /** Whose calls passed without the counters and are owed to them. */
  readonly #owing = new Map<string, Entry>();
  readonly #subjectsMax: number;
  #isCharging = false;
  #isChargeDue = false;

  constructor(options: CallBlocksOptions) {
    this.#options = options;
    this.#subjectsMax = options.subjectsMax ?? SUBJECTS_MAX;
    this.#entries = new RecentMap(this.#subjectsMax);
  }

  /**
   * Counts a call: 0, or if there may be none, after how many whole seconds there may be one. A
   * promise only where more calls come at once than may be owed: of the counters' next answer.
   */
  take(subject: string, ceiling: CallCeiling): number | Promise<number> {
    const entry = this.#entryOf(subject, ceiling);
    const retryAfterS = this.#tryToTake(subject, entry);
    return retryAfterS ?? this.#takeLater(subject, ceiling, entry);
  }

  /** Undefined: that depends on what the counters are going to answer. */
  #tryToTake(subject: string, entry: Entry): number | undefined {
    const { account } = entry;
    const nowMs = this.#options.clock.monotonicMs();
    const decision = account.take(nowMs);
    const isUnsure = decision === 'unsure';
    const wanted = entry.answer === undefined ? account.wanted(nowMs, isUnsure) : 0;
    if (wanted > 0) void this.#asking(subject, entry, wanted);
    if (decision === 'passed') return 0;
    if (isUnsure && entry.answer !== undefined) return undefined;
    return this.#retryAfterS(entry, nowMs);
  }

  async #takeLater(subject: string, ceiling: CallCeiling, first: Entry): Promise<number> {
    let entry = first;
    for (let wait = 0; wait < WAITS_MAX; wait++) {
      entry.account.waitingCount += 1;
      await entry.answer;
      entry.account.waitingCount -= 1;
      entry = this.#entryOf(subject, ceiling);
      const retryAfterS = this.#tryToTake(subject, entry);
      if (retryAfterS !== undefined) return retryAfterS;
    }
    return this.#retryAfterS(entry, this.#options.clock.monotonicMs());
  }

  #retryAfterS({ account, endsAtMs }: Entry, nowMs: number): number {
    const waitMs = Math.min(account.waitMs(nowMs), endsAtMs - this.#options.counters.nowMs());
    return Math.max(1, Math.ceil(waitMs / 1000));
  }

  #entryOf(subject: string, ceiling: CallCeiling): Entry {
    const known = this.#entries.get(subject);
    const isOfDay = ceiling.growthPerMs === 0;
    const storeMs = isOfDay ? this.#options.counters.nowMs() : 0;
    if (known !== undefined && storeMs < known.endsAtMs) {
      if (known.account.ceiling !== ceiling)
        known.account.changeCeiling(ceiling, this.#options.clock.monotonicMs());
      return known;
    }
    const endsAtMs = isOfDay ? endOfDayMs(storeMs) : Number.POSITIVE_INFINITY;
    const account = new CallAccount(ceiling, this.#options.clock.monotonicMs());
    const entry: Entry = { account, answer: undefined, endsAtMs };
    if (known !== undefined) this.#entries.delete(subject);
    this.#entries.set(subject, entry);
    return entry;
  }

  #asking(subject: string, entry: Entry, wanted: number): Promise<void> {
    entry.answer = this.#ask(subject, entry, wanted).finally(() => {
      entry.answer = undefined;
    });
    return entry.answer;
  }

  /** Never rejects. */
  async #ask(subject: string, entry: Entry, wanted: number): Promise<void> {
    const { clock, liveNodes, onFault } = this.#options;
    const { account } = entry;
    let cost = wanted;
    try {
      if (account.isLocal) {
        // Consumes nothing: counters that count and are too slow to say so would count it again and again.
        const { remaining } = await this.#count(subject, account, 0);
        account.comeBack(remaining, clock.monotonicMs());
        cost = account.wanted(clock.monotonicMs());
      }
      if (cost > 0) {
        const { admitted, remaining } = await this.#count(subject, account, cost);
        account.settle({ given: admitted ? cost : 0, remaining, nowMs: clock.monotonicMs() });
      }
      this.#owing.delete(subject);
      if (this.#owing.size > 0) void this.#chargeOthers();
    } catch (error) {
      account.goOnAlone(liveNodes(), clock.monotonicMs());
      if (this.#owing.size < this.#subjectsMax) this.#owing.set(subject, entry);
      this.#chargeLater();
      onFault(subject, error);
    }
  }

  async #count(
    subject: string,
    { ceiling: { set } }: CallAccount,
    cost: number,
  ): Promise<{ readonly admitted: boolean; readonly remaining: number }> {
    const { counters, keyOf } = this.#options;
    const { admitted, limits } = await counters.check({ key: keyOf(subject), set, cost, peek: cost === 0 });
    return { admitted, remaining: limits[0]?.remaining ?? 0 };
  }

  /** A node that nobody calls any more owes all the same. */
  #chargeLater(): void {
    const { later } = this.#options;
    if (this.#isChargeDue || later === undefined) return;
    this.#isChargeDue = true;
    later(() => {
      this.#isChargeDue = false;
      void this.#chargeOthers();
    });
  }

  /** The counters are back: what others owe is charged too, whether they call again or not. Never rejects. */
  async #chargeOthers(): Promise<void> {
    if (this.#isCharging) return;
    this.#isCharging = true;
    for (const [subject, entry] of this.#owing) {
      if (this.#options.counters.nowMs() >= entry.endsAtMs) {
        this.#owing.delete(subject); // of a day that is over
        continue;
      }
      await (entry.answer ?? this.#asking(subject, entry, 1));
      if (entry.account.isLocal) break; // away again
    }
    this.#isCharging = false;
  }
}
