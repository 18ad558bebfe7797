import { BrumeError } from '../../errors/catalogue.ts';
import type { SqlPoolStats } from '../../telemetry/metrics/store-stats.ts';
import type { Row, Sql, SqlDialect, SqlTransaction, SqlValue, TransactionOptions } from './sql.ts';

/**
 * A database that nobody asks unless it is known to be the right one, with the right schema: while the
 * gate is shut, every call is refused at once as if it were away.
 */
export class GatedSql implements Sql {
  readonly dialect: SqlDialect;
  readonly #sql: Sql;
  #shutBecause: string | undefined = 'the configuration store has not answered since the start';

  constructor(sql: Sql) {
    this.dialect = sql.dialect;
    this.#sql = sql;
  }

  open(): void {
    this.#shutBecause = undefined;
  }

  shut(reason: string): void {
    this.#shutBecause = reason;
  }

  async all(statement: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#gated().all(statement, parameters);
  }

  async transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    return this.#gated({ isUndone: true }).transaction(work, options);
  }

  poolStats(): SqlPoolStats {
    return this.#sql.poolStats?.() ?? { total: 0, idle: 0, waiting: 0 };
  }

  close(): Promise<void> {
    return this.#sql.close();
  }

  #gated({ isUndone = false } = {}): Sql {
    if (this.#shutBecause === undefined) return this.#sql;
    throw new BrumeError('store_unavailable', {
      isUndone,
      cause: new Error(this.#shutBecause),
    });
  }
}
