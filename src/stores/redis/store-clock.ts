import type { Clock } from '../../limiter/clock.ts';

/** A jump of the store's time beyond this is told to the operator. */
const STEP_MS = 1000;

/** How fast an estimate that proves too late is taken back: clocks drift by parts of a million. */
const DRIFT_SHARE = 0.01;

export interface StoreClockOptions {
  readonly clock: Clock;
  /** The store's time stepped by this much against the monotonic clock; negative: backwards. */
  readonly onStep: (stepMs: number) => void;
}

/**
 * What this node knows of the store's time: that of the latest replies, moved on by the monotonic
 * clock. The store read its clock somewhen between request and reply; this estimate takes it to have
 * been at the reply, so that it errs towards early, and a deadline made from it never lets a call run
 * that its caller has given up.
 */
export class StoreClock {
  readonly #clock: Clock;
  readonly #onStep: (stepMs: number) => void;
  #offsetMs: number | undefined;

  constructor({ clock, onStep }: StoreClockOptions) {
    this.#clock = clock;
    this.#onStep = onStep;
  }

  /** Undefined until the store has answered once. */
  nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : Math.floor(this.#clock.monotonicMs() + this.#offsetMs);
  }

  /** The store said what time it is, in the reply to what was sent at `sentMonotonicMs`. */
  observe(storeNowMs: number, sentMonotonicMs: number): void {
    const earliestMs = storeNowMs - this.#clock.monotonicMs();
    const latestMs = storeNowMs - sentMonotonicMs;
    const knownMs = this.#offsetMs ?? earliestMs;
    if (earliestMs - knownMs > STEP_MS) this.#onStep(Math.round(earliestMs - knownMs));
    if (latestMs - knownMs < -STEP_MS) this.#onStep(Math.round(latestMs - knownMs));
    const isBackwards = latestMs < knownMs;
    const isSlowReply = earliestMs < knownMs && !isBackwards;
    this.#offsetMs = isSlowReply ? knownMs + (earliestMs - knownMs) * DRIFT_SHARE : earliestMs;
  }

  /** Another server may answer next: its clock is another. */
  forget(): void {
    this.#offsetMs = undefined;
  }
}
