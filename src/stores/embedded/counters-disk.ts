import type { FlushStats } from '../../telemetry/metrics/store-stats.ts';

/** Where the counters outlast the process. */
export interface CountersDisk {
  /** Throws CountersError `unavailable` while nothing can be written. */
  assertWritable(): void;
  /** The last write worked, or there was none yet. */
  readonly isSaved: boolean;
  stats(): FlushStats;
  /** Resolves when what is held of this key is on disk. Rejects with CountersError `unavailable`. */
  persist(key: string): Promise<void>;
  /** Writes what is not written yet, and closes. Never rejects; `isSaved` tells whether all is written. */
  close(): Promise<void>;
  /** How far the file has come. */
  written(): { readonly nextBatchId: number; readonly storedCount: number };
}
