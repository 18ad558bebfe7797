import { BrumeError } from '../errors/catalogue.ts';

/**
 * Lets a few pieces of work run at a time, so many wait, and refuses the rest: each hash of a password
 * holds megabytes and a thread of Node's small pool, which reads files too.
 */
export class FewAtOnce {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ runningMax, waitingMax }: { readonly runningMax: number; readonly waitingMax: number }) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Rejects with BrumeError `throttled_sign_in` if too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) {
      if (this.#waiting.length >= this.#waitingMax) {
        throw new BrumeError('throttled_sign_in', { retryAfterS: 1 });
      }
      // Whoever ends hands its place over: `#running` stays.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
