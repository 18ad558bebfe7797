import { BrumeError } from '../../errors/catalogue.ts';

/** One at a time, in the order of asking; who waits too long gives up. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves with what ends the turn. Rejects with `store_unavailable` after `timeoutMs`. */
  async take(timeoutMs: number): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const cause = new Error(`the database was busy for more than ${timeoutMs} ms`);
        reject(new BrumeError('store_unavailable', { cause }));
      }, timeoutMs);
    });
    try {
      await Promise.race([before, tooLate]);
      return resolve;
    } catch (error) {
      // Whoever comes next waits for the turn before this one.
      void before.then(resolve);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
