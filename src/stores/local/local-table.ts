import { CountersError, type LimitSet } from '../../limiter/counters.ts';
import type { Held } from '../../limiter/held.ts';
import type { Ledger } from '../../limiter/local/ledger.ts';

/** What a node holds of an identifier that it judges by itself. */
export interface LocalEntry {
  readonly key: string;
  /** By which its checks are judged. */
  held: Held;
  /** What is owed to the store of it: without what that may have counted. */
  readonly ledger: Ledger;
  /** The rule's limits when it was judged last. */
  set: LimitSet;
  /** From then on it is worth no more than nothing. */
  expiresMs: number;
  /** While it is being merged, nothing may be counted in it. Resolves with why it was not; never rejects. */
  merging: Promise<CountersError | undefined> | undefined;
}

/** Each new entry looks at so many for ended ones, so that the table clears itself as it is used. */
const SWEEP_STEPS = 2;
/** A full table is searched this far for room before a newcomer is refused. */
const SWEEP_STEPS_WHEN_FULL = 1000;

/** A bounded table, in which a newcomer never takes the place of a living entry. */
export class LocalTable {
  readonly #max: number;
  readonly #entries = new Map<string, LocalEntry>();
  #sweep = this.#entries.values();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined for one that has ended. */
  get(key: string, nowMs: number): LocalEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    return entry.expiresMs > nowMs || entry.merging !== undefined ? entry : undefined;
  }

  /** Throws CountersError full, having changed nothing, if there is no room for so many newcomers. */
  assertRoom(newcomers: number, nowMs: number): void {
    if (this.#entries.size + newcomers <= this.#max) return;
    this.#sweepEnded(SWEEP_STEPS_WHEN_FULL, nowMs);
    if (this.#entries.size + newcomers <= this.#max) return;
    throw new CountersError(
      'full',
      `this node judges ${this.#max} identifiers by itself, its maximum: raise BRUME_LOCAL_IDENTIFIERS_MAX`,
    );
  }

  /** For one that there is room for. */
  set(entry: LocalEntry, nowMs: number): void {
    this.#entries.set(entry.key, entry);
    this.#sweepEnded(SWEEP_STEPS, nowMs);
  }

  /** Unless another one has come in its place. */
  drop(entry: LocalEntry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  /** The oldest first. */
  entries(): Iterable<LocalEntry> {
    return this.#entries.values();
  }

  #sweepEnded(steps: number, nowMs: number): void {
    for (let step = 0; step < steps; step++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#entries.values();
        return;
      }
      const { key, expiresMs, merging } = next.value;
      if (expiresMs <= nowMs && merging === undefined) this.#entries.delete(key);
    }
  }
}
