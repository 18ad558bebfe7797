/** What the stores tell of themselves: plain numbers that are read when the metrics are. */

export interface CacheStats {
  readonly size: number;
  readonly max: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export interface KeyCacheStats {
  readonly keys: CacheStats;
  readonly unknownKeys: CacheStats;
  readonly lookupsInFlight: number;
}

export interface SnapshotStats {
  readonly namespaces: number;
  readonly refreshFailures: number;
  readonly exceptions?: number;
  readonly bytes?: number;
}

/** The copy of the configuration on disk. */
export interface SnapshotFileStats {
  readonly ageMs: number | undefined;
  readonly writeFailures: number;
  readonly isStartedFrom: boolean;
}

export interface ChangeListenerStats {
  readonly isConnected: boolean;
  readonly reconnects: number;
}

export interface SqlPoolStats {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface RedisStats {
  readonly isConnected: boolean;
  readonly reconnects: number;
  readonly calls: number;
  readonly timeouts: number;
  readonly failures: number;
  readonly clockSteps: number;
}

export interface EmbeddedStats {
  readonly size: number;
  readonly max: number;
  readonly refusals: number;
  readonly flushFailures?: number;
  readonly flushLagMs?: number;
}

export interface CheckpointStats {
  readonly pending: number;
  readonly written: number;
  readonly failures: number;
  readonly dropped: number;
}
