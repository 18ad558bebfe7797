import { BrumeError } from '../../errors/catalogue.ts';
import type { Row, Sql, SqlTransaction, SqlValue, TransactionOptions } from './sql.ts';
import { type SqliteOptions, SqliteSql } from './sqlite-sql.ts';

/**
 * The embedded database while another process still serves from it: it can be read, and who wants to write
 * waits until it is this process's own.
 */
export class BorrowedSql implements Sql {
  readonly dialect = 'sqlite';
  readonly #sql: SqliteSql;
  readonly #owned = Promise.withResolvers<void>();

  private constructor(sql: SqliteSql) {
    this.#sql = sql;
    this.#owned.promise.catch(() => undefined); // where nobody waits
  }

  /** Rejects with StateDirError. */
  static async open(options: Pick<SqliteOptions, 'stateDir' | 'timeoutMs'>): Promise<BorrowedSql> {
    return new BorrowedSql(await SqliteSql.open({ ...options, isDirectoryOwned: true }));
  }

  /** This process has the lock of the directory. */
  own(): void {
    this.#owned.resolve();
  }

  /** If it is not this process's own by now it never will be: who waits to write is refused. */
  abandon(): void {
    const cause = new Error('the embedded database stayed with another process');
    this.#owned.reject(new BrumeError('store_unavailable', { isUndone: true, cause }));
  }

  all(statement: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#sql.all(statement, parameters);
  }

  async transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    await this.#owned.promise;
    return this.#sql.transaction(work, options);
  }

  close(): Promise<void> {
    this.abandon();
    return this.#sql.close();
  }
}
