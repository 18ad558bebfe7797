import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { BrumeError } from '../../errors/catalogue.ts';
import { systemClock } from '../../limiter/clock.ts';
import { numbered } from './numbered.ts';
import type { Row, SqlTransaction, SqlValue } from './sql.ts';
import { sqlFault } from './sql-fault.ts';

/** pg takes a deadline with each query; its types don't know. */
type DeadlineQuery = QueryConfig & { query_timeout: number };

/** A transaction on a connection that is lent; every statement of it ends by the same deadline. */
export class PostgresTransaction implements SqlTransaction {
  readonly dialect = 'postgres';
  readonly #client: ClientBase;
  readonly #endMs: number;

  /** `endMs` is on the monotonic clock. */
  constructor(client: ClientBase, endMs: number) {
    this.#client = client;
    this.#endMs = endMs;
  }

  async all(statement: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#query(numbered(statement), parameters)).rows;
  }

  async run(statement: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.#query(numbered(statement), parameters)).rowCount ?? 0;
  }

  async script(statements: string): Promise<void> {
    await this.#query(statements);
  }

  async commit(): Promise<void> {
    const { command } = await this.#query('commit');
    // An aborted transaction answers a commit with ROLLBACK and no error.
    if (command !== 'COMMIT') {
      throw new BrumeError('internal', { cause: new Error(`commit was answered by ${command}`) });
    }
  }

  /** Whether that was done, so that the connection can be used again. */
  rollBack(): Promise<boolean> {
    return this.#query('rollback').then(
      () => true,
      () => false,
    );
  }

  async #query(text: string, parameters?: readonly SqlValue[]): Promise<QueryResult<Row>> {
    const leftMs = Math.floor(this.#endMs - systemClock.monotonicMs());
    try {
      if (leftMs < 1) throw new Error('the time for this call to PostgreSQL is over');
      const query: DeadlineQuery = { text, query_timeout: leftMs };
      if (parameters !== undefined) query.values = [...parameters];
      return await this.#client.query(query);
    } catch (error) {
      throw sqlFault(error);
    }
  }
}
