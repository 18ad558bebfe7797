/** What the stores tell of themselves: plain numbers that are read when the metrics are. */

export interface KeyCacheStats {
  readonly size: number;
  /** Remembered as unknown. */
  readonly unknown: number;
  readonly hits: number;
  readonly misses: number;
  readonly staleHits: number;
  readonly evictions: number;
  readonly failures: number;
  readonly lookups: number;
  readonly lookupsUnderWay: number;
  readonly lookupsWaiting: number;
}

export interface SnapshotStats {
  readonly namespaces: number;
  readonly refreshFailures: number;
  readonly keys: number;
  readonly exceptions: number;
  /** Memory of the exceptions. */
  readonly bytes: number;
  readonly wholeLoads: number;
}

/** The copy of the configuration on disk. */
export interface SnapshotFileStats {
  readonly ageMs: number | undefined;
  readonly writeFailures: number;
  readonly isStartedFrom: boolean;
}

export interface ChangeListenerStats {
  readonly isListening: boolean;
  /** How often it began to listen, the first time included. */
  readonly connections: number;
}

export interface SqlPoolStats {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface SqlWriteStats {
  /** Transactions that failed, for whatever reason of the store. */
  readonly failures: number;
  /** It answers, and refuses what is written. */
  readonly isReadOnly: boolean;
}

export interface RedisStats {
  readonly isConnected: boolean;
  /** Calls and connections that failed, by what Redis showed. */
  readonly faults: Readonly<Record<string, number>>;
  /** Its maxmemory-policy is another than noeviction; undefined: nobody has told. */
  readonly mayEvict: boolean | undefined;
  /** Keys that it has evicted since this node looks. */
  readonly evictions: number;
  /** How many connections are in which state of their circuit. */
  readonly breakers: Readonly<Record<'closed' | 'open' | 'half_open', number>>;
  readonly reconnects: number;
  readonly calls: number;
  readonly timeouts: number;
  readonly failures: number;
  readonly clockSteps: number;
  /** When the last of them was seen. Epoch milliseconds. */
  readonly clockSteppedAtMs: number | undefined;
  /** How often another server process answered than before. */
  readonly serverChanges: number;
  /** Undefined: there are none to ask. */
  readonly reachableSentinels: number | undefined;
  /** Absent: it is none. */
  readonly cluster?: ClusterStats;
}

export interface ClusterStats {
  /** Each by `host:port`. */
  readonly nodes: readonly { readonly name: string; readonly isConnected: boolean }[];
  readonly shards: number;
  /** Those that can't be called now; slots that no node has count as one. */
  readonly shardsAway: number;
  /** Calls that a node did not run, by what it said instead. */
  readonly redirections: { readonly moved: number; readonly ask: number; readonly tryagain: number };
  /** How often the map of the slots was read. */
  readonly refreshes: number;
  readonly refreshFailures: number;
}

/** How the embedded counters are written to disk. */
export interface FlushStats {
  readonly failures: number;
  /** How long the oldest change waits that is not written; 0 if all is. */
  readonly lagMs: number;
}

export interface EmbeddedStats {
  readonly size: number;
  readonly max: number;
  readonly refusals: number;
  readonly clockSteps: number;
  /** When the last of them was seen. Epoch milliseconds. */
  readonly clockSteppedAtMs: number | undefined;
  /** Undefined: the counts are in memory only. */
  readonly flush: FlushStats | undefined;
}

/** What a node judged by itself while the counters gave no answer. */
export interface LocalStats {
  /** Held now: judged by this node, or not merged yet. */
  readonly identifiers: number;
  /** Of which it knows what the counters, which judge them again, may have counted or not. */
  readonly unsure: number;
  readonly admitted: number;
  readonly denied: number;
  /** Newcomers that found no room. */
  readonly refused: number;
  /** Identifiers whose count was merged into the counters. */
  readonly merged: number;
  /** Identifiers of which nobody knows whether it was. */
  readonly lost: number;
}

/** How usage is written to the configuration store. */
export interface UsageStats {
  /** Hours of namespaces and keys that wait. */
  readonly pending: number;
  readonly written: number;
  readonly failures: number;
  /** Verdicts for which there was no place. */
  readonly dropped: number;
}

/** How checkpoints of quotas are written. */
export interface WriterStats {
  readonly pending: number;
  readonly written: number;
  readonly failures: number;
  readonly dropped: number;
}

export interface CheckpointStats extends WriterStats {
  /** How often the counters lost what they had counted, as this node noticed. */
  readonly losses: number;
  /** When it noticed the last of them. Epoch milliseconds. */
  readonly lostAtMs: number | undefined;
  /** Quotas that were given back to them. */
  readonly restored: number;
}
