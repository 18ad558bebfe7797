import { BrumeError } from '../../errors/catalogue.ts';
import type { Timers } from './timers.ts';

export interface LookupGateOptions {
  /** So many are inside at a time. */
  readonly insideMax: number;
  /** So many wait at a time; who comes then is refused at once. */
  readonly waitingMax: number;
  readonly timers: Timers;
}

type Leave = () => void;

interface Waiter {
  enter(): void;
}

/** Lets a bounded number of lookups go on at a time, so that a store that hangs collects no more. */
export class LookupGate {
  readonly #options: LookupGateOptions;
  readonly #preferred = new Set<Waiter>();
  readonly #others = new Set<Waiter>();
  #inside = 0;

  constructor(options: LookupGateOptions) {
    this.#options = options;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#preferred.size + this.#others.size;
  }

  get isOpen(): boolean {
    return this.#inside < this.#options.insideMax;
  }

  /**
   * Resolves with what lets the next one in. Rejects with `store_unavailable` after `timeoutMs`, or
   * at once where too many wait. The preferred ones go first.
   */
  enter(timeoutMs: number, isPreferred: boolean): Promise<Leave> {
    if (this.isOpen) {
      this.#inside += 1;
      return Promise.resolve(this.#leave());
    }
    if (this.waiting >= this.#options.waitingMax) return Promise.reject(busy('too many of them wait'));
    const queue = isPreferred ? this.#preferred : this.#others;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: () => {
          cancel();
          queue.delete(waiter);
          resolve(this.#leave());
        },
      };
      const cancel = this.#options.timers.after(timeoutMs, () => {
        queue.delete(waiter);
        reject(busy(`none of those before ended within ${timeoutMs} ms`));
      });
      queue.add(waiter);
    });
  }

  #leave(): Leave {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const [next] = this.#preferred.size > 0 ? this.#preferred : this.#others;
      // The place passes on as it is.
      if (next === undefined) this.#inside -= 1;
      else next.enter();
    };
  }
}

function busy(reason: string): BrumeError {
  return new BrumeError('store_unavailable', { cause: new Error(`no key lookup could start: ${reason}`) });
}
