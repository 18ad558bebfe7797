/** Traces that others may ask for in a second. */
const ASKED_MAX = 1000;
const SECOND_MS = 1000;

/**
 * Bounds the traces that are recorded because the caller's own trace is: a proxy that passes on what
 * its clients wrote would else let them choose how much we record.
 */
export class AskedTraces {
  readonly #clock: { monotonicMs(): number };
  #untilMs = -Infinity;
  #count = 0;

  constructor(clock: { monotonicMs(): number }) {
    this.#clock = clock;
  }

  /** Whether one more may be recorded now. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#untilMs) {
      this.#untilMs = nowMs + SECOND_MS;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= ASKED_MAX;
  }
}
