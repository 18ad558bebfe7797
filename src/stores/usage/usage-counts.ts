import { STEP_MS } from '../../tenancy/usage.ts';
import { hourOf, type UsageTally } from './usage-tally.ts';

/** Of a check what is counted. */
interface CountedCheck {
  readonly namespace: { readonly id: string; readonly projectId: string; readonly name: string };
  readonly keyId?: string;
  readonly cost: number;
  readonly peek: boolean;
}

interface CountedVerdict {
  readonly success: boolean;
  readonly degraded: boolean;
}

export interface UsageCountsOptions {
  readonly clock: { nowMs(): number };
  readonly talliesMax?: number;
}

/** So many take some 10 MB. */
const TALLIES_MAX = 50_000;

/** Counts in memory what is still to be written. On the way of every check. */
export class UsageCounts {
  readonly #clock: UsageCountsOptions['clock'];
  readonly #talliesMax: number;
  #hourMs = 0;
  /** Of the present hour: by the ids of namespaces, then of keys. */
  #met = new Map<string, Map<string, UsageTally>>();
  #tallies: UsageTally[] = [];
  /** Taken, and not yet written. */
  #takenCount = 0;
  #dropped = 0;

  constructor({ clock, talliesMax = TALLIES_MAX }: UsageCountsOptions) {
    this.#clock = clock;
    this.#talliesMax = talliesMax;
  }

  /** How many tallies wait to be written. */
  get size(): number {
    return this.#tallies.length + this.#takenCount;
  }

  /** Verdicts for which there was no place any more. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A peek uses nothing, and neither does an answer that repeats an earlier one. */
  count(
    { namespace, keyId = '', cost, peek }: CountedCheck,
    { success, degraded }: CountedVerdict,
    isRepeated: boolean,
  ): void {
    if (peek || isRepeated) return;
    const nowMs = this.#clock.nowMs();
    if (nowMs < this.#hourMs || nowMs >= this.#hourMs + STEP_MS.hour) this.#beginHour(nowMs);
    const tally = this.#met.get(namespace.id)?.get(keyId) ?? this.#meet(namespace, keyId);
    if (tally === undefined) {
      this.#dropped++;
      return;
    }
    if (success) {
      tally.allowed++;
      tally.cost = Math.min(tally.cost + cost, Number.MAX_SAFE_INTEGER);
    } else tally.denied++;
    if (degraded) tally.degraded++;
  }

  /** All that was counted so far; counting begins anew. They keep their places until they are released. */
  take(): UsageTally[] {
    const taken = this.#tallies;
    this.#tallies = [];
    this.#met = new Map();
    this.#takenCount += taken.length;
    return taken;
  }

  /** So many of those that were taken are written. */
  release(count: number): void {
    this.#takenCount -= count;
  }

  #beginHour(nowMs: number): void {
    this.#hourMs = hourOf(nowMs);
    this.#met = new Map();
  }

  /** Undefined if there is no place. */
  #meet({ id, projectId, name }: CountedCheck['namespace'], keyId: string): UsageTally | undefined {
    if (this.size >= this.#talliesMax) return undefined;
    const hourMs = this.#hourMs;
    const tally = { projectId, namespace: name, keyId, hourMs, allowed: 0, denied: 0, degraded: 0, cost: 0 };
    const ofNamespace = this.#met.get(id) ?? new Map<string, UsageTally>();
    this.#met.set(id, ofNamespace.set(keyId, tally));
    this.#tallies.push(tally);
    return tally;
  }
}
