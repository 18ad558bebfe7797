import {
  type CounterCheck,
  type CounterOutcome,
  CountersError,
  type HeldLease,
  type Settlement,
  type Settling,
} from '../../limiter/counters.ts';
import type { Merge, MergingCounters, Standing } from '../../limiter/merge.ts';
import type { CheckpointStats } from '../../telemetry/metrics/store-stats.ts';
import { CheckpointKeeper, type CheckpointKeeperOptions } from './checkpoint-keeper.ts';
import { countedQuotas, hasQuota, seenQuotas } from './observed-quotas.ts';
import type { CheckpointStore, RestorableCounters } from './quota-checkpoint.ts';

/** Counters whose quotas survive the loss of their store, but for what was counted in the last seconds. */
export class CheckpointedCounters implements MergingCounters {
  readonly #counters: RestorableCounters;
  readonly #store: CheckpointStore;
  readonly #keeper: CheckpointKeeper;

  /** Takes the counters over: closing this closes them. Rejects where counts of this process can't be restored. */
  static async start(options: CheckpointKeeperOptions): Promise<CheckpointedCounters> {
    const counters = new CheckpointedCounters(options);
    await counters.#keeper.start();
    return counters;
  }

  private constructor(options: CheckpointKeeperOptions) {
    this.#counters = options.counters;
    this.#store = options.store;
    this.#keeper = new CheckpointKeeper(options);
  }

  check(check: CounterCheck): Promise<CounterOutcome> {
    const answer = this.#counters.check(check);
    return check.peek || !hasQuota(check) ? answer : this.#noted(check, answer);
  }

  async checkAtomically(checks: readonly CounterCheck[]): Promise<readonly CounterOutcome[]> {
    const outcomes = await this.#counters.checkAtomically(checks);
    if (!outcomes.every(({ admitted }) => admitted)) return outcomes;
    outcomes.forEach((outcome, index) => {
      this.#keeper.note(countedQuotas(checks[index] as CounterCheck, outcome));
    });
    return outcomes;
  }

  /**
   * The checkpoints go first, in a transaction that ends after the counters' own reset: while the store of
   * checkpoints is away nothing is reset. What was observed up to the moment of the reset, here or on
   * another node, is ignored when it comes to be written.
   */
  async reset(key: string): Promise<void> {
    try {
      await this.#store.reset(key, () => this.#counters.forget(key));
    } catch (error) {
      if (error instanceof CountersError) throw error;
      throw new CountersError('unavailable', 'the checkpoints of quotas can not be reset', { cause: error });
    }
  }

  /** What is given back stays in the checkpoints: those of a period only ever rise. */
  async settle(settling: Settling): Promise<Settlement | undefined> {
    const settlement = await this.#counters.settle(settling);
    if (settlement === undefined || !hasQuota(settling)) return settlement;
    const { actual, reserved, isLate } = settlement;
    if (actual > (isLate ? 0 : reserved)) void this.#look(settling);
    return settlement;
  }

  renewLease(key: string, holder: string): Promise<HeldLease | undefined> {
    return this.#counters.renewLease(key, holder);
  }

  releaseLease(key: string, holder: string): Promise<void> {
    return this.#counters.releaseLease(key, holder);
  }

  listLeases(key: string): Promise<readonly HeldLease[]> {
    return this.#counters.listLeases(key);
  }

  announce(key: string, revision: number): Promise<void> {
    return this.#counters.announce(key, revision);
  }

  /** A merged count comes into the checkpoints with the next check of its identifier. */
  merge(merges: readonly Merge[]): Promise<readonly (Standing | CountersError)[]> {
    return this.#counters.merge(merges);
  }

  nowMs(): number {
    return this.#counters.nowMs();
  }

  stats(): CheckpointStats {
    return this.#keeper.stats();
  }

  ping(key?: string): Promise<boolean> {
    return this.#counters.ping(key);
  }

  partOf(key: string): string {
    return this.#counters.partOf?.(key) ?? '';
  }

  async close(): Promise<void> {
    await this.#keeper.stop();
    await this.#counters.close();
  }

  /** A settlement doesn't tell what is used in all. */
  async #look({ key, set }: Settling): Promise<void> {
    const check = { key, set, cost: 0, peek: true };
    try {
      this.#keeper.note(seenQuotas(check, await this.#counters.check(check)));
    } catch {
      // The next check of this identifier tells.
    }
  }

  async #noted(check: CounterCheck, answer: Promise<CounterOutcome>): Promise<CounterOutcome> {
    const outcome = await answer;
    this.#keeper.note(countedQuotas(check, outcome));
    return outcome;
  }
}
