/** The counts of the drill's own namespace. */
export interface OwnCounts {
  forget(): Promise<void>;
}

/** What is done to a system to see how it stands it. */
export interface Fault {
  /** Whole sentences, for whoever is asked whether to do it. */
  readonly announcement: string;
  /** It needs no end: what it takes away comes back in another place. */
  readonly isOverBySelf: boolean;
  /** What somebody has to do where `end` did not work. */
  readonly remedy: string;
  /** Rejects with an OperationError where it can't be brought about now; undefined: that shows when it is begun. */
  readonly look?: () => Promise<void>;
  /** Resolves when it is there, with what was done. Rejects when it is aborted, and something may have been done. */
  begin(own: OwnCounts, signal: AbortSignal): Promise<string>;
  /** Undoes it, also where only half of it was done, and more than once. */
  end(signal: AbortSignal): Promise<void>;
}

export type DrillName =
  | 'redis-failover'
  | 'redis-hang'
  | 'redis-flush'
  | 'redis-loss'
  | 'postgres-loss'
  | 'node-loss'
  | 'restart';
