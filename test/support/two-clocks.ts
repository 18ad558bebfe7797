import type { Clock } from '../../src/limiter/clock.ts';

/** The wall clock, which can be set, and the monotonic one, which begins anew with each process. */
export class TwoClocks implements Clock {
  #wallMs = 1_800_000_000_000;
  #passedMs = 0;

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  pass(byMs: number): void {
    this.#wallMs += byMs;
    this.#passedMs += byMs;
  }

  step(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** The same time, as another process sees it. */
  ofNextProcess(): Clock {
    const beganMs = this.#passedMs - 5;
    return { nowMs: () => this.#wallMs, monotonicMs: () => this.#passedMs - beganMs };
  }
}
