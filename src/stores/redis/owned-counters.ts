import { type CounterCheck, CountersError, type Settling } from '../../limiter/counters.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import type { Merge } from '../../limiter/merge.ts';
import type { QuotaCheckpoint, RestorableCounters, StoreEpoch } from '../checkpoints/quota-checkpoint.ts';
import type { Ownership } from './ownership.ts';

/** Counters that tell how they are. */
export interface TellingCounters extends RestorableCounters {
  /** As a check would find it. Never rejects. */
  condition(): Promise<CountersCondition>;
}

/** Counters in a Redis that may turn out to be another installation's: then they are unavailable. */
export class OwnedCounters implements TellingCounters {
  readonly epoch?: StoreEpoch;
  readonly #counters: TellingCounters;
  readonly #ownership: Pick<Ownership, 'refusal' | 'end'>;

  constructor(counters: TellingCounters, ownership: Pick<Ownership, 'refusal' | 'end'>) {
    this.#counters = counters;
    this.#ownership = ownership;
    const { epoch } = counters;
    if (epoch !== undefined) this.epoch = this.#ownedEpoch(epoch);
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

  async forget(key: string) {
    return this.#owned.forget(key);
  }

  async restore(checkpoints: readonly QuotaCheckpoint[]) {
    return this.#owned.restore(checkpoints);
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

  async announce(key: string, revision: number) {
    return this.#owned.announce(key, revision);
  }

  async merge(merges: readonly Merge[]) {
    return this.#owned.merge(merges);
  }

  nowMs(): number {
    return this.#counters.nowMs();
  }

  async ping(key?: string): Promise<boolean> {
    return this.#ownership.refusal() === undefined && this.#counters.ping(key);
  }

  /** What the Redis itself shows comes first: it is why a claim can't be confirmed. */
  async condition(): Promise<CountersCondition> {
    const condition = await this.#counters.condition();
    const isCounting = condition.state === 'available' || condition.state === 'partly_available';
    const isOthers = isCounting && this.#ownership.refusal() !== undefined;
    return isOthers ? { state: 'unavailable', fault: 'not_owned' } : condition;
  }

  partOf(key: string): string {
    return this.#counters.partOf?.(key) ?? '';
  }

  async close(): Promise<void> {
    await this.#counters.close();
    await this.#ownership.end();
  }

  get #owned(): RestorableCounters {
    this.#assertOwned();
    return this.#counters;
  }

  #ownedEpoch(epoch: StoreEpoch): StoreEpoch {
    const owned = () => {
      this.#assertOwned();
      return epoch;
    };
    return {
      look: async () => owned().look(),
      hasLost: () => epoch.hasLost?.() ?? true,
      begin: async () => owned().begin(),
      finish: async (mark) => owned().finish(mark),
      onConnect: (listener) => epoch.onConnect(listener),
    };
  }

  #assertOwned(): void {
    const refusal = this.#ownership.refusal();
    if (refusal !== undefined) throw new CountersError('unavailable', refusal);
  }
}
