import type { StoreLog } from '../store-log.ts';
import type { Moment } from './entry.ts';

/** By so much the wall clock must leave the monotonic one between two looks; it drifts by parts of a million. */
const STEP_MS = 1000;

/**
 * Tells the operator when the clock by which the embedded counters count was set. Looked at with each
 * call, since nothing else is decided by it.
 */
export class ClockSteps {
  readonly #log: StoreLog | undefined;
  #offsetMs: number;
  #count = 0;
  #lastMs: number | undefined;

  constructor({ nowMs, monotonicMs }: Moment, log: StoreLog | undefined) {
    this.#log = log;
    this.#offsetMs = nowMs - monotonicMs;
  }

  get count(): number {
    return this.#count;
  }

  /** When the last one was seen. Epoch milliseconds. */
  get lastMs(): number | undefined {
    return this.#lastMs;
  }

  observe({ nowMs, monotonicMs }: Moment): void {
    const offsetMs = nowMs - monotonicMs;
    const stepMs = Math.round(offsetMs - this.#offsetMs);
    this.#offsetMs = offsetMs;
    if (Math.abs(stepMs) <= STEP_MS) return;
    this.#count++;
    this.#lastMs = nowMs;
    this.#log?.warn(
      { stepMs },
      stepMs > 0
        ? 'the clock of this host stepped forwards: windows and periods end early by as much'
        : 'the clock of this host stepped back: what was used stays, and nobody waits longer than one window from now',
    );
  }
}
