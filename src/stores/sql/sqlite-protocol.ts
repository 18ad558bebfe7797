import type { Row, SqlValue } from './sql.ts';

/** What the worker is started with. */
export interface SqliteWorkerData {
  readonly databasePath: string;
  /**
   * A file of its own: whoever holds it owns the directory, and the database itself stays readable.
   * Undefined: this process owns the directory already.
   */
  readonly lockPath: string | undefined;
  /** How long a statement waits for a lock that another program holds on the file. */
  readonly busyTimeoutMs: number;
}

/** `reader` sees the last committed state, also while a transaction is under way on `writer`. */
export interface SqliteRequest {
  readonly id: number;
  readonly connection: 'reader' | 'writer';
  readonly kind: 'open' | 'all' | 'run' | 'script' | 'close';
  readonly statement: string;
  readonly parameters: readonly SqlValue[];
}

export interface SqliteReply {
  readonly id: number;
  readonly rows?: readonly Row[];
  readonly changes?: number;
  readonly fault?: SqliteWorkerFault;
}

export interface SqliteWorkerFault {
  readonly message: string;
  /** SQLite's extended result code; 0 if the fault isn't SQLite's. */
  readonly errcode: number;
  /** Another process holds the directory. */
  readonly isLocked: boolean;
  /** A stored integer is beyond 2^53-1. */
  readonly isUnsafeInteger: boolean;
}
