import type { Clock } from '../../limiter/clock.ts';

export interface SilenceOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** How long a call may take. */
  readonly timeoutMs: number;
  /** So many calls without an answer, one after the other, are no mere hiccup; 3 if absent. */
  readonly unansweredCallsMax?: number;
}

const UNANSWERED_CALLS_MAX = 3;

/** Tells a server that says nothing any more from one that missed some calls. */
export class Silence {
  readonly #options: SilenceOptions;
  #unansweredCalls = 0;
  #answeredMonotonicMs = 0;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  /** It has answered. */
  end(): void {
    this.#unansweredCalls = 0;
    this.#answeredMonotonicMs = this.#options.clock.monotonicMs();
  }

  /** Another connection: what was not answered on the last one tells nothing of it. */
  forget(): void {
    this.#unansweredCalls = 0;
  }

  /** A call had no answer. How many in a row, if that is a silence. */
  miss(): number | undefined {
    const { clock, timeoutMs, unansweredCallsMax = UNANSWERED_CALLS_MAX } = this.#options;
    this.#unansweredCalls++;
    const silentMs = clock.monotonicMs() - this.#answeredMonotonicMs;
    // Calls that were sent together are missed together: a busy moment, not yet a silence.
    const isSilent = this.#unansweredCalls >= unansweredCallsMax && silentMs > 2 * timeoutMs;
    return isSilent ? this.#unansweredCalls : undefined;
  }
}
