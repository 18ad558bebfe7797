import { type CounterCheck, type Counters, CountersError, type Settling } from '../../limiter/counters.ts';
import type { Ownership } from './ownership.ts';

/** Counters in a Redis that may turn out to be another installation's: then they are unavailable. */
export class OwnedCounters implements Counters {
  readonly #counters: Counters;
  readonly #ownership: Pick<Ownership, 'refusal' | 'end'>;

  constructor(counters: Counters, ownership: Pick<Ownership, 'refusal' | 'end'>) {
    this.#counters = counters;
    this.#ownership = ownership;
  }

  async check(check: CounterCheck) {
    return this.#owned.check(check);
  }

  async checkAtomically(checks: readonly CounterCheck[]) {
    return this.#owned.checkAtomically(checks);
  }

  async reset(key: string) {
    return this.#owned.reset(key);
  }

  async settle(settling: Settling) {
    return this.#owned.settle(settling);
  }

  async renewLease(key: string, holder: string) {
    return this.#owned.renewLease(key, holder);
  }

  async releaseLease(key: string, holder: string) {
    return this.#owned.releaseLease(key, holder);
  }

  async listLeases(key: string) {
    return this.#owned.listLeases(key);
  }

  async ping(): Promise<boolean> {
    return this.#ownership.refusal() === undefined && this.#counters.ping();
  }

  async close(): Promise<void> {
    await this.#counters.close();
    await this.#ownership.end();
  }

  get #owned(): Counters {
    const refusal = this.#ownership.refusal();
    if (refusal !== undefined) throw new CountersError('unavailable', refusal);
    return this.#counters;
  }
}
