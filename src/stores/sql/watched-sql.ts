import { BrumeError } from '../../errors/catalogue.ts';
import type { Clock } from '../../limiter/clock.ts';
import type { SqlPoolStats, SqlWriteStats } from '../../telemetry/metrics/store-stats.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import type { Row, Sql, SqlDialect, SqlTransaction, SqlValue, TransactionOptions } from './sql.ts';
import { isNotWritable } from './sql-fault.ts';

export interface WatchedSqlParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly log: StoreLog;
}

/**
 * So long after a write that failed, a small one is tried; and no sooner does one that works end the
 * state, since on a full disk small ones still find room now and then.
 */
const RETRY_MS = 10_000;

const WHERE_TO_LOOK: Readonly<Record<SqlDialect, string>> = {
  sqlite: 'see whether the disk of BRUME_STATE_DIR is full',
  postgres: 'see whether its disk is full, or it is read-only',
};

/**
 * A database that knows whether it can be written: not any more from the first write that it refuses
 * on, until one works again. A database that is away is another matter, of which the snapshot tells.
 */
export class WatchedSql implements Sql {
  readonly dialect: SqlDialect;
  readonly #sql: Sql;
  readonly #parts: WatchedSqlParts;
  #failures = 0;
  #isReadOnly = false;
  #failedMonotonicMs = 0;
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  constructor(sql: Sql, parts: WatchedSqlParts) {
    this.dialect = sql.dialect;
    this.#sql = sql;
    this.#parts = parts;
  }

  writeStats(): SqlWriteStats {
    return { failures: this.#failures, isReadOnly: this.#isReadOnly };
  }

  all(statement: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#sql.all(statement, parameters);
  }

  async transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    let hasWritten = false;
    try {
      const result = await this.#sql.transaction(
        (transaction) =>
          work({
            dialect: transaction.dialect,
            all: (statement, parameters) => transaction.all(statement, parameters),
            script: (statements) => transaction.script(statements),
            run: async (statement, parameters) => {
              const count = await transaction.run(statement, parameters);
              hasWritten ||= count > 0;
              return count;
            },
          }),
        options,
      );
      if (hasWritten) this.#worked();
      return result;
    } catch (error) {
      if (error instanceof BrumeError && error.code === 'store_unavailable') this.#failed(error);
      throw error;
    }
  }

  poolStats(): SqlPoolStats {
    return this.#sql.poolStats?.() ?? { total: 0, idle: 0, waiting: 0 };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    return this.#sql.close();
  }

  #worked(): void {
    const { clock, log } = this.#parts;
    if (!this.#isReadOnly || clock.monotonicMs() - this.#failedMonotonicMs < RETRY_MS) return;
    this.#isReadOnly = false;
    this.#cancelRetry?.();
    log.info({}, 'the configuration store can be written again');
  }

  #failed(error: BrumeError): void {
    this.#failures++;
    if (!isNotWritable(error)) return;
    const { clock, log } = this.#parts;
    if (!this.#isReadOnly) {
      log.error(
        { err: error.cause },
        "the configuration store can't be written: changes are refused, verdicts go on; " +
          WHERE_TO_LOOK[this.dialect],
      );
    }
    this.#isReadOnly = true;
    this.#failedMonotonicMs = clock.monotonicMs();
    this.#scheduleRetry();
  }

  #scheduleRetry(): void {
    this.#cancelRetry?.();
    if (this.#isClosed) return;
    this.#cancelRetry = this.#parts.timers.after(RETRY_MS, () => void this.#retry());
  }

  /** Changes nothing, and is written all the same. */
  async #retry(): Promise<void> {
    await this.transaction((transaction) =>
      transaction.run('update installation set created_at = created_at'),
    ).catch(() => undefined);
    if (this.#isReadOnly) this.#scheduleRetry();
  }
}
