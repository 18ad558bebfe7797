import { ttlOf } from '../../limiter/algorithms/concurrency.ts';
import type { Clock } from '../../limiter/clock.ts';
import type {
  CounterCheck,
  CounterOutcome,
  CountersError,
  HeldLease,
  Settlement,
  Settling,
} from '../../limiter/counters.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import { NOTHING_HELD } from '../../limiter/held.ts';
import type { Merge, Standing } from '../../limiter/merge.ts';
import { settleReservation } from '../../limiter/settlement.ts';
import type { EmbeddedStats } from '../../telemetry/metrics/store-stats.ts';
import type { QuotaCheckpoint, RestorableCounters } from '../checkpoints/quota-checkpoint.ts';
import type { StoreLog } from '../store-log.ts';
import { ClockSteps } from './clock-steps.ts';
import type { CountersDisk } from './counters-disk.ts';
import { type Entry, entryAfter, judge, type Moment, withLeases } from './entry.ts';
import { EntryRoom } from './entry-room.ts';
import { EntryTable } from './entry-table.ts';
import type { KnownEntries } from './load-entries.ts';
import { mergedEntry } from './merged-entry.ts';
import { restored } from './restored-entry.ts';

export interface EmbeddedCountersOptions {
  readonly clock: Clock;
  /** Most identifiers held at once; a new one beyond them is refused, a living one never evicted. */
  readonly identifiersMax: number;
  /** What is known already; an empty table if absent. */
  readonly entries?: EntryTable;
  /** Without it the counts end with the process. */
  readonly disk?: CountersDisk;
  /** Told of steps of the clock. */
  readonly log?: StoreLog;
}

/** The reference models over a table in this process's memory: counters for one node without Redis. */
export class EmbeddedCounters implements RestorableCounters {
  readonly #clock: Clock;
  readonly #entries: EntryTable;
  readonly #room: EntryRoom;
  readonly #disk: CountersDisk | undefined;
  readonly #clockSteps: ClockSteps;
  #turn: Promise<void> | undefined;

  constructor({ clock, identifiersMax, entries = new EntryTable(), disk, log }: EmbeddedCountersOptions) {
    this.#clock = clock;
    this.#entries = entries;
    this.#room = new EntryRoom(entries, identifiersMax);
    this.#disk = disk;
    this.#clockSteps = new ClockSteps({ nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }, log);
  }

  /** How many identifiers the table holds, expired ones that were not swept yet included. */
  get size(): number {
    return this.#entries.size;
  }

  stats(): EmbeddedStats {
    return {
      size: this.size,
      max: this.#room.max,
      refusals: this.#room.refusals,
      clockSteps: this.#clockSteps.count,
      clockSteppedAtMs: this.#clockSteps.lastMs,
      flush: this.#disk?.stats(),
    };
  }

  /** False while what is counted can't be written to disk. */
  get isSaved(): boolean {
    return this.#disk?.isSaved ?? true;
  }

  async check(check: CounterCheck): Promise<CounterOutcome> {
    await this.#nextTurn();
    const moment = this.#moment();
    const known = this.#living(check.key, moment);
    const { outcome, entry } = judge(known, check, moment);
    if (entry !== undefined) {
      // Only a newcomer can be refused: the state of one who is known is used up by the decision.
      if (known === undefined) this.#room.make(1, moment);
      this.#entries.set(check.key, entry);
      this.#room.sweep(1, moment);
    }
    return outcome;
  }

  async checkAtomically(checks: readonly CounterCheck[]): Promise<readonly CounterOutcome[]> {
    const moment = this.#moment();
    // Judged on copies: a decision uses its state up, and this one may have to be taken back.
    const changed = new Map<string, Entry>();
    const outcomes = checks.map((check) => {
      const { outcome, entry } = judge(
        changed.get(check.key) ?? this.#copy(check.key, moment),
        check,
        moment,
      );
      if (entry !== undefined) changed.set(check.key, entry);
      return outcome;
    });
    if (!outcomes.every(({ admitted }) => admitted)) {
      return outcomes.map((outcome, index) => this.#heldBack(outcome, checks[index] as CounterCheck, moment));
    }
    const newcomers = [...changed.keys()].filter((key) => this.#living(key, moment) === undefined);
    this.#room.make(newcomers.length, moment);
    for (const [key, entry] of changed) this.#entries.set(key, entry);
    this.#room.sweep(changed.size, moment);
    return outcomes;
  }

  /** Forgotten on disk, too, before it resolves: a crash doesn't bring back what was reset. */
  async reset(key: string): Promise<void> {
    this.#disk?.assertWritable();
    this.#forget(key, this.#moment());
    await this.#disk?.persist(key);
  }

  #forget(key: string, moment: Moment): void {
    const entry = this.#living(key, moment);
    if (entry === undefined) return;
    const { leases } = entry.held;
    if (leases.size === 0) this.#entries.delete(key);
    else
      this.#entries.set(
        key,
        withLeases({ ...entry, held: { ...NOTHING_HELD, leases }, answers: undefined }, leases, moment),
      );
  }

  async settle({ key, set, token, cost }: Settling): Promise<Settlement | undefined> {
    const moment = this.#moment();
    const entry = this.#living(key, moment);
    if (entry === undefined) return undefined;
    const { settlement, held, expiresAtMs } = settleReservation(
      set,
      entry.held,
      { token, cost },
      moment.nowMs,
    );
    if (held !== undefined) this.#entries.set(key, entryAfter(entry, held, expiresAtMs, moment));
    return settlement;
  }

  /** Forgets on disk first: what is counted while that takes is not among what the time returned ends. */
  async forget(key: string): Promise<number> {
    const nowMs = this.#clock.nowMs();
    await this.reset(key);
    return nowMs;
  }

  /** In a full table those who are not in it are left out. */
  async restore(checkpoints: readonly QuotaCheckpoint[]): Promise<number> {
    const moment = this.#moment();
    let raisedCount = 0;
    for (const checkpoint of checkpoints) {
      const known = this.#living(checkpoint.key, moment);
      const raised = restored(known, checkpoint, moment);
      const hasRoom = this.#entries.has(checkpoint.key) || this.#entries.size < this.#room.max;
      if (raised === undefined || !hasRoom) continue;
      this.#entries.set(checkpoint.key, raised);
      raisedCount++;
    }
    return raisedCount;
  }

  async merge(merges: readonly Merge[]): Promise<readonly (Standing | CountersError)[]> {
    const moment = this.#moment();
    return merges.map((merge) => {
      const known = this.#living(merge.key, moment);
      if (known === undefined && !this.#room.has(1, moment)) return this.#room.full();
      const { standing, entry } = mergedEntry(known, merge, moment);
      this.#entries.set(merge.key, entry);
      return standing;
    });
  }

  async renewLease(key: string, holder: string): Promise<HeldLease | undefined> {
    const moment = this.#moment();
    const entry = this.#living(key, moment);
    const expiredMs = entry?.held.leases.get(holder) ?? 0;
    if (entry === undefined || expiredMs <= moment.nowMs) return undefined;
    const expiresMs = moment.nowMs + ttlOf(holder);
    this.#entries.set(key, withLeases(entry, new Map(entry.held.leases).set(holder, expiresMs), moment));
    return { holder, expiresMs };
  }

  async releaseLease(key: string, holder: string): Promise<void> {
    const moment = this.#moment();
    const entry = this.#living(key, moment);
    if (entry === undefined) return;
    const leases = new Map(entry.held.leases);
    leases.delete(holder);
    this.#entries.set(key, withLeases(entry, leases, moment));
  }

  async listLeases(key: string): Promise<readonly HeldLease[]> {
    const moment = this.#moment();
    return [...(this.#living(key, moment)?.held.leases ?? [])]
      .map(([holder, expiresMs]) => ({ holder, expiresMs }))
      .filter(({ expiresMs }) => expiresMs > moment.nowMs)
      .sort((a, b) => a.expiresMs - b.expiresMs || (a.holder < b.holder ? -1 : 1));
  }

  /** All checks are this process's own, and go by the snapshot that its changes are in. */
  async announce(): Promise<void> {}

  nowMs(): number {
    return this.#clock.nowMs();
  }

  async condition(): Promise<CountersCondition> {
    return { state: 'available' };
  }

  async ping(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    await this.#disk?.close();
  }

  /** What was counted, once closed: for whoever opens the same file again. Undefined without a disk. */
  kept(): KnownEntries | undefined {
    const written = this.#disk?.written();
    if (written === undefined) return undefined;
    const isRewriteWanted = !this.isSaved;
    return { ...written, entries: this.#entries, damagedCount: 0, leftOutCount: 0, isRewriteWanted };
  }

  /**
   * All checks of one turn of the event loop are judged together at its end: their answers then leave
   * in one go, which costs the server a third less than answering each as it comes.
   */
  #nextTurn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }

  #moment(): Moment {
    const moment = { nowMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
    this.#clockSteps.observe(moment);
    return moment;
  }

  /**
   * A check of a batch that is not committed: denied as it was, or how it stands by itself. A state from
   * the future is re-anchored all the same.
   */
  #heldBack(outcome: CounterOutcome, check: CounterCheck, moment: Moment): CounterOutcome {
    if (outcome.isRepeated) return outcome;
    const { outcome: alone, entry } = judge(
      this.#living(check.key, moment),
      { ...check, peek: true },
      moment,
    );
    if (entry !== undefined) this.#entries.set(check.key, entry);
    return outcome.admitted
      ? { ...alone, isHeldBack: alone.admitted, admitted: false, token: undefined }
      : outcome;
  }

  #living(key: string, { monotonicMs }: Moment): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresMonotonicMs > monotonicMs ? entry : undefined;
  }

  #copy(key: string, moment: Moment): Entry | undefined {
    const entry = this.#living(key, moment);
    return entry && { ...entry, held: structuredClone(entry.held), answers: entry.answers?.copy() };
  }
}
