import type { Readable } from 'node:stream';
import { BrumeError } from '../../errors/catalogue.ts';

declare module 'fastify' {
  interface FastifyInstance {
    longAnswers: LongAnswers;
  }
}

/** As many a plane: they hold memory for as long as somebody reads, or doesn't. */
export const LONG_ANSWERS_MAX = 4;
const RETRY_AFTER_S = 5;

/** The answers of one plane that are written in portions, while they are being read. */
export class LongAnswers {
  #open = 0;

  /** @throws BrumeError `throttled_export` if there are as many as there may be. */
  assertRoom(): void {
    if (this.#open < LONG_ANSWERS_MAX) return;
    throw new BrumeError('throttled_export', { retryAfterS: RETRY_AFTER_S });
  }

  /** Counts it until it has been read or let go. */
  hold(answer: Readable): void {
    this.#open += 1;
    answer.once('close', () => {
      this.#open -= 1;
    });
  }
}
