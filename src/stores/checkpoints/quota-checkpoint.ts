import type { MergingCounters } from '../../limiter/merge.ts';

/** What was used of one quota of an identifier, at a moment. */
export interface QuotaCheckpoint {
  /** Name of the identifier's state, as in CounterCheck. */
  readonly key: string;
  readonly name: string;
  /** The id of the quota's calendar, below 2^48. */
  readonly identity: number;
  readonly startMs: number;
  /** ENDLESS_MS where the period has no end. */
  readonly endMs: number;
  readonly used: number;
  /** The counters' time at which so much was used. */
  readonly observedMs: number;
}

/** Where a page of checkpoints ended. */
export type Cursor = Pick<QuotaCheckpoint, 'key' | 'name'>;

/**
 * Where checkpoints are kept. Writing, resetting and restoring take turns, among all nodes: so what a
 * reset forgot is neither written nor restored by one that was under way.
 * Everything rejects with BrumeError store_unavailable if the store is away.
 */
export interface CheckpointStore {
  /**
   * Raises what is known: a later period replaces an earlier one, of the same period the larger count
   * stays, of two calendars the one observed later. At most one checkpoint for each key and name.
   * Ignores what was observed before a reset.
   */
  write(checkpoints: readonly QuotaCheckpoint[]): Promise<void>;
  /**
   * Has `forget` reset the counters, which tell when that was, and forgets the checkpoints from before.
   * If either fails, nothing is forgotten here, and `forget` isn't called while the store is away.
   */
  reset(key: string, forget: () => Promise<number>): Promise<void>;
  /**
   * Hands `restore` those after a cursor, in order, that end after a moment; at most `limit`. Resolves
   * with what was handed over.
   */
  restorePage(
    page: { readonly after: Cursor; readonly endingAfterMs: number; readonly limit: number },
    restore: (checkpoints: readonly QuotaCheckpoint[]) => Promise<void>,
  ): Promise<readonly QuotaCheckpoint[]>;
  /** Drops checkpoints that ended, and resets that were recorded, before a moment; true if more is left. */
  prune(before: {
    readonly endedMs: number;
    readonly resetMs: number;
    readonly limit: number;
  }): Promise<boolean>;
}

/** Counters that can be given back what they lost. */
export interface RestorableCounters extends MergingCounters {
  /** As reset(), and resolves with the counters' time at which it was done. */
  forget(key: string): Promise<number>;
  /**
   * Raises counts to those of the checkpoints whose period holds now, unless they count by another
   * calendar; lowers none. Resolves with how many it raised. Rejects with a CountersError.
   */
  restore(checkpoints: readonly QuotaCheckpoint[]): Promise<number>;
  /** How a store outside this process tells that it lost its counts; without it, they end with the process. */
  readonly epoch?: StoreEpoch;
}

/** A mark in the counters' store, which is lost with the counts. Rejects with a CountersError. */
export interface StoreEpoch {
  /** The mark; undefined if counts were lost and are not yet restored. */
  look(): Promise<string | undefined>;
  /**
   * Whether the latest look missed a mark that this node knew: of a store in parts one that was away until now is
   * none. Absent: wherever the mark is gone or another.
   */
  hasLost?(): boolean;
  /** Says that counts are being restored, if they were lost, and resolves with the mark to finish with. */
  begin(): Promise<string>;
  /** Says that they are; false if the store lost them again in the meantime. */
  finish(mark: string): Promise<boolean>;
  /** Calls `listener` whenever the store was connected. */
  onConnect(listener: () => void): void;
}
