import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { BrumeError } from '../../errors/catalogue.ts';
import { createPool, numbered, type PostgresOptions } from './postgres-pool.ts';
import type { Row, Sql, SqlTransaction, SqlValue } from './sql.ts';
import { isPostgresRefusal, sqlFault } from './sql-fault.ts';

/** The client gives up a little after the server should have, so that the server's word comes first. */
const CLIENT_GRACE_MS = 500;

/**
 * PostgreSQL 15 or later, through a pool. Works behind PgBouncer in transaction mode: no named
 * statements, no session settings, no session locks.
 */
export class PostgresSql implements Sql {
  readonly dialect = 'postgres';
  readonly #pool: Pool;
  readonly #timeoutMs: number;

  constructor(options: PostgresOptions) {
    this.#pool = createPool(options);
    this.#timeoutMs = options.timeoutMs;
  }

  all(statement: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#inTransaction('read only', this.#timeoutMs, (transaction) =>
      transaction.all(statement, parameters),
    );
  }

  transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    options: { readonly timeoutMs?: number } = {},
  ): Promise<T> {
    return this.#inTransaction('read write', options.timeoutMs ?? this.#timeoutMs, work);
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw sqlFault(error);
    }
  }

  async #inTransaction<T>(
    access: 'read only' | 'read write',
    timeoutMs: number,
    work: (transaction: SqlTransaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect();
    let isSound = true;
    try {
      const transaction = new PostgresTransaction(client, timeoutMs + CLIENT_GRACE_MS);
      await transaction.script(
        `begin isolation level read committed ${access};` +
          `set local statement_timeout = ${timeoutMs};` +
          // A frozen node must not hold the lock that every change needs.
          `set local idle_in_transaction_session_timeout = ${timeoutMs}`,
      );
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      isSound = await rollBack(client, error);
      throw error;
    } finally {
      client.release(!isSound);
    }
  }
}

/** pg takes a deadline with each query; its types don't know. */
type DeadlineQuery = QueryConfig & { query_timeout: number };

class PostgresTransaction implements SqlTransaction {
  readonly dialect = 'postgres';
  readonly #client: PoolClient;
  readonly #timeoutMs: number;

  constructor(client: PoolClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
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

  async #query(text: string, parameters?: readonly SqlValue[]): Promise<QueryResult<Row>> {
    try {
      const query: DeadlineQuery = { text, query_timeout: this.#timeoutMs };
      if (parameters !== undefined) query.values = [...parameters];
      return await this.#client.query(query);
    } catch (error) {
      throw sqlFault(error);
    }
  }
}

/** Whether the connection can be used again. */
async function rollBack(client: PoolClient, error: unknown): Promise<boolean> {
  const isDriverFault = error instanceof BrumeError && error.cause !== undefined;
  if (isDriverFault && !isPostgresRefusal(error.cause)) return false;
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
