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
  /** Of the first of these, when it was sent, by its deadline. */
  #sinceMonotonicMs = 0;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  /** It has answered, or is another connection, of which what the last one missed tells nothing. */
  end(): void {
    this.#unansweredCalls = 0;
  }

  /** A call had no answer. Whether that is a silence. */
  miss(): boolean {
    const { clock, timeoutMs, unansweredCallsMax = UNANSWERED_CALLS_MAX } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#unansweredCalls === 0) this.#sinceMonotonicMs = nowMs - timeoutMs;
    this.#unansweredCalls++;
    // Calls that were sent together are missed together: a busy moment, not yet a silence.
    const isLong = nowMs - this.#sinceMonotonicMs > (unansweredCallsMax - 1) * timeoutMs;
    return isLong && this.#unansweredCalls >= unansweredCallsMax;
  }
}
