import type { Clock } from '../../limiter/clock.ts';

/** So long nothing is sent to a server that said "not now". */
const HOLD_MS = 100;

/**
 * Holds calls back from a server that refuses them all for now, though it answers: each would only cost it
 * more. After a short while one call is let through to see, and the next when that one is answered or
 * given up.
 */
export class Hold {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #cause: Error | undefined;
  #untilMs = 0;
  #isProbing = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Why a call can't be sent now; undefined: it can, and is given up at `givenUpMs` if nothing comes. */
  refusal(givenUpMs: number): Error | undefined {
    if (this.#cause === undefined) return undefined;
    if (this.#clock.monotonicMs() < this.#untilMs) return this.#cause;
    this.#untilMs = givenUpMs;
    this.#isProbing = true;
    return undefined;
  }

  begin(cause: Error): void {
    this.#cause = cause;
    this.#isProbing = false;
    this.#untilMs = this.#clock.monotonicMs() + HOLD_MS;
  }

  end(): void {
    this.#cause = undefined;
    this.#isProbing = false;
  }

  get state(): 'closed' | 'open' | 'half_open' {
    if (this.#cause === undefined) return 'closed';
    return this.#isProbing ? 'half_open' : 'open';
  }
}
