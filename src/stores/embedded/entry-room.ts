import { CountersError } from '../../limiter/counters.ts';
import type { Entry, Moment } from './entry.ts';
import type { EntryTable } from './entry-table.ts';

/** Each write looks at this many entries for expired ones, so that the table clears itself as it is used. */
const SWEEP_STEPS = 2;

/** A full table is searched this far for room before a newcomer is refused. */
const SWEEP_STEPS_WHEN_FULL = 1000;

/** How many identifiers a table may hold: what has ended makes room, and what lives never does. */
export class EntryRoom {
  readonly max: number;
  readonly #entries: EntryTable;
  #sweep: MapIterator<[string, Entry]>;
  #refusals = 0;

  constructor(entries: EntryTable, max: number) {
    this.max = max;
    this.#entries = entries;
    this.#sweep = entries.entries();
  }

  /** Newcomers that found none. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Throws CountersError full, having refused so many newcomers, if there is none for all of them. */
  make(newcomers: number, moment: Moment): void {
    if (this.has(newcomers, moment)) return;
    this.#refusals += newcomers;
    throw this.full();
  }

  has(newcomers: number, moment: Moment): boolean {
    if (this.#entries.size + newcomers <= this.max) return true;
    this.#sweepSteps(SWEEP_STEPS_WHEN_FULL, moment);
    return this.#entries.size + newcomers <= this.max;
  }

  full(): CountersError {
    return new CountersError(
      'full',
      `the embedded counters hold ${this.max} living identifiers, their maximum: ` +
        'raise BRUME_EMBEDDED_IDENTIFIERS_MAX or set BRUME_REDIS_URL',
    );
  }

  /** After so many writes. */
  sweep(writes: number, moment: Moment): void {
    this.#sweepSteps(SWEEP_STEPS * writes, moment);
  }

  /** Goes round the table a few entries at a time, from where it stopped last. */
  #sweepSteps(steps: number, { monotonicMs }: Moment): void {
    for (let step = 0; step < steps; step++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#entries.entries();
        return;
      }
      const [key, { expiresMonotonicMs }] = next.value;
      if (expiresMonotonicMs <= monotonicMs) this.#entries.drop(key);
    }
  }
}
