import type { Clock } from '../../src/limiter/clock.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  CountersError,
  type CountersFault,
  type HeldLease,
  type Settlement,
  type Settling,
} from '../../src/limiter/counters.ts';
import type { Merge, MergingCounters, Standing } from '../../src/limiter/merge.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';

/** A store that several nodes share, in memory, and that fails as it is told. */
export class SwitchedStore implements MergingCounters {
  readonly #counters: EmbeddedCounters;
  /** What every call fails with; undefined: it answers. */
  fault: CountersFault | undefined;
  /** What merging alone fails with. */
  mergeFault: CountersFault | undefined;
  /** Of a call that fails with 'timeout': it has run all the same. */
  isRunAllTheSame = false;
  /** How many calls reached it, and how many merges each of those calls had. */
  calls = 0;
  readonly mergeSizes: number[] = [];

  constructor(clock: Clock, identifiersMax = 100_000) {
    this.#counters = new EmbeddedCounters({ clock, identifiersMax });
  }

  check(check: CounterCheck): Promise<CounterOutcome> {
    return this.#answer(this.fault, () => this.#counters.check(check));
  }

  checkAtomically(checks: readonly CounterCheck[]): Promise<readonly CounterOutcome[]> {
    return this.#answer(this.fault, () => this.#counters.checkAtomically(checks));
  }

  merge(merges: readonly Merge[]): Promise<readonly (Standing | CountersError)[]> {
    this.mergeSizes.push(merges.length);
    return this.#answer(this.fault ?? this.mergeFault, () => this.#counters.merge(merges));
  }

  reset(key: string): Promise<void> {
    return this.#answer(this.fault, () => this.#counters.reset(key));
  }

  settle(settling: Settling): Promise<Settlement | undefined> {
    return this.#answer(this.fault, () => this.#counters.settle(settling));
  }

  renewLease(key: string, holder: string): Promise<HeldLease | undefined> {
    return this.#answer(this.fault, () => this.#counters.renewLease(key, holder));
  }

  releaseLease(key: string, holder: string): Promise<void> {
    return this.#answer(this.fault, () => this.#counters.releaseLease(key, holder));
  }

  listLeases(key: string): Promise<readonly HeldLease[]> {
    return this.#answer(this.fault, () => this.#counters.listLeases(key));
  }

  async announce(): Promise<void> {}

  nowMs(): number {
    return this.#counters.nowMs();
  }

  async ping(): Promise<boolean> {
    return this.fault === undefined;
  }

  async close(): Promise<void> {}

  async #answer<Result>(fault: CountersFault | undefined, call: () => Promise<Result>): Promise<Result> {
    this.calls++;
    if (fault === undefined) return call();
    if (fault === 'timeout' && this.isRunAllTheSame) await call();
    throw new CountersError(fault, `the store is ${fault}`);
  }
}
