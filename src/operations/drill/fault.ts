/** What is done to a system to see how it stands it. */
export interface Fault {
  /** Whole sentences, for whoever is asked whether to do it. */
  readonly announcement: string;
  /** It needs no end: what it takes away comes back in another place. */
  readonly isOverBySelf: boolean;
  /** Resolves when it is there, with what was done. */
  begin(): Promise<string>;
  /** Undoes it, also where only half of it was done, and more than once. */
  end(): Promise<void>;
}

export type DrillName =
  | 'redis-failover'
  | 'redis-hang'
  | 'redis-flush'
  | 'redis-loss'
  | 'postgres-loss'
  | 'node-loss'
  | 'restart';
