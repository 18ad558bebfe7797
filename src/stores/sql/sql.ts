import type { SqlPoolStats } from '../../telemetry/metrics/store-stats.ts';

/** A parameter; booleans are 0 and 1, times epoch milliseconds, JSON text. */
export type SqlValue = string | number | null;
/** Columns are read through row.ts, which checks their types. */
export type Row = Readonly<Record<string, unknown>>;
export type SqlDialect = 'postgres' | 'sqlite';

/** Runs one statement. Parameters are written `?1`, `?2`, … in both dialects. */
export interface SqlExecutor {
  /** The rows, also of `returning`. */
  all(statement: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** The number of rows changed. */
  run(statement: string, parameters?: readonly SqlValue[]): Promise<number>;
}

/** How a transaction differs from others. */
export interface TransactionOptions {
  /** Instead of the configured time. */
  readonly timeoutMs?: number;
  /** Everything that is read is as of one moment, and nothing may be written. */
  readonly isSnapshot?: boolean;
}

/** Handed to whoever writes: nothing is written outside a transaction. */
export interface SqlTransaction extends SqlExecutor {
  readonly dialect: SqlDialect;
  /** Several statements without parameters, for migrations. */
  script(statements: string): Promise<void>;
}

/**
 * The database. Every fault of the driver becomes a BrumeError: `conflict` where a unique
 * constraint refused, else `store_unavailable` with the cause. A statement ends within the
 * configured time. A transaction that failed is `isUndone` where nothing of it can stay; if the
 * connection breaks during a commit, nobody knows whether it happened.
 */
export interface Sql {
  readonly dialect: SqlDialect;
  /** A single read, in a transaction of its own. */
  all(statement: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Commits when `work` resolves, rolls back when it rejects. Never nest one in another. */
  transaction<T>(work: (transaction: SqlTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Absent where there is no pool. */
  poolStats?(): SqlPoolStats;
  close(): Promise<void>;
}
