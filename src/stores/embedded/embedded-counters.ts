import type { Clock } from '../../limiter/clock.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  type Counters,
  CountersError,
} from '../../limiter/counters.ts';
import { decide, type Records } from '../../limiter/plan.ts';

export interface EmbeddedCountersOptions {
  readonly clock: Clock;
  /** Most identifiers held at once; a new one beyond them is refused, a living one never evicted. */
  readonly identifiersMax: number;
}

interface Entry {
  records: Records;
  /** On the monotonic clock: a step of the wall clock must neither free an entry nor keep it for ever. */
  expiresMonotonicMs: number;
}

/** Each write looks at this many entries for expired ones, so that the table clears itself as it is used. */
const SWEEP_STEPS = 2;

/** A full table is searched this far for room before a newcomer is refused. */
const SWEEP_STEPS_WHEN_FULL = 1000;

/** The reference models over a table in this process's memory: counters for one node without Redis. */
export class EmbeddedCounters implements Counters {
  readonly #clock: Clock;
  readonly #identifiersMax: number;
  readonly #entries = new Map<string, Entry>();
  #sweep = this.#entries.entries();

  constructor({ clock, identifiersMax }: EmbeddedCountersOptions) {
    this.#clock = clock;
    this.#identifiersMax = identifiersMax;
  }

  /** How many identifiers the table holds, expired ones that were not swept yet included. */
  get size(): number {
    return this.#entries.size;
  }

  async check(check: CounterCheck): Promise<CounterOutcome> {
    const nowMs = this.#clock.nowMs();
    const monotonicMs = this.#clock.monotonicMs();
    const entry = this.#living(check.key, monotonicMs);
    const { outcome, records, expiresAtMs } = decide(check.set, entry?.records, check, nowMs);
    if (records !== undefined) {
      // Only a newcomer can be refused: the state of one who is known is used up by the decision.
      if (entry === undefined) this.#makeRoom(monotonicMs);
      this.#entries.set(check.key, { records, expiresMonotonicMs: monotonicMs + (expiresAtMs - nowMs) });
      this.#sweepExpired(SWEEP_STEPS, monotonicMs);
    }
    return outcome;
  }

  async ping(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    this.#entries.clear();
  }

  #living(key: string, monotonicMs: number): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresMonotonicMs > monotonicMs ? entry : undefined;
  }

  #makeRoom(monotonicMs: number): void {
    if (this.#entries.size < this.#identifiersMax) return;
    this.#sweepExpired(SWEEP_STEPS_WHEN_FULL, monotonicMs);
    if (this.#entries.size < this.#identifiersMax) return;
    throw new CountersError(
      'full',
      `the embedded counters hold ${this.#identifiersMax} living identifiers, their maximum: ` +
        'raise BRUME_EMBEDDED_IDENTIFIERS_MAX or set BRUME_REDIS_URL',
    );
  }

  /** Goes round the table a few entries at a time, from where it stopped last. */
  #sweepExpired(steps: number, monotonicMs: number): void {
    for (let step = 0; step < steps; step++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#entries.entries();
        return;
      }
      const [key, { expiresMonotonicMs }] = next.value;
      if (expiresMonotonicMs <= monotonicMs) this.#entries.delete(key);
    }
  }
}
