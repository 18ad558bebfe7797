import type { UsageTally } from './usage-tally.ts';

/** Tallies that are written together, or not at all. */
export interface UsageBatch {
  /** Of the run of a process. */
  readonly writerId: string;
  /** Rises with each batch of a writer. */
  readonly number: number;
  readonly tallies: readonly UsageTally[];
}

/** What is older than these times, in epoch milliseconds, goes. */
export interface UsageAges {
  readonly hoursMs: number;
  readonly daysMs: number;
  readonly writersMs: number;
  /** At most so many rows of each. */
  readonly limit: number;
}

/** Where usage stays on record. Everything rejects with BrumeError store_unavailable if the store is away. */
export interface UsageRecord {
  /**
   * Adds the counts of a batch to those on record. Of a batch that was added already nothing is added, so
   * that one whose outcome nobody knows can be handed over again, if it is the same.
   */
  addUsage(batch: UsageBatch): Promise<void>;
  /** True if more is left. */
  pruneUsage(ages: UsageAges): Promise<boolean>;
}
