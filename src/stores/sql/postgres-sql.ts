import { BrumeError } from '../../errors/catalogue.ts';
import { systemClock } from '../../limiter/clock.ts';
import type { SqlPoolStats } from '../../telemetry/metrics/store-stats.ts';
import { type Lease, type PostgresOptions, PostgresPool } from './postgres-pool.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import type { Row, Sql, SqlTransaction, SqlValue, TransactionOptions } from './sql.ts';
import { isPostgresRefusal, isRefusedCommit, sqlFault, undone } from './sql-fault.ts';

/** How a transaction begins: its isolation, and what it may do. */
const MODES = {
  read: 'read committed read only',
  snapshot: 'repeatable read read only',
  write: 'read committed read write',
} as const;

type Mode = keyof typeof MODES;

/** The server is told to give up so much before the client does, so that its word comes first. */
const SERVER_LEAD_MAX_MS = 500;
const SERVER_LEAD_SHARE = 0.25;

/**
 * PostgreSQL 15 or later, through a pool. Works behind PgBouncer in transaction mode: no named
 * statements, no session settings, no session locks. Each call has one deadline, which begins when
 * it asks for a connection.
 */
export class PostgresSql implements Sql {
  readonly dialect = 'postgres';
  readonly #pool: PostgresPool;
  readonly #timeoutMs: number;

  constructor(options: PostgresOptions) {
    this.#pool = new PostgresPool(options);
    this.#timeoutMs = options.timeoutMs;
  }

  all(statement: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#inTransaction('read', this.#timeoutMs, (transaction) =>
      transaction.all(statement, parameters),
    );
  }

  transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    { timeoutMs = this.#timeoutMs, isSnapshot = false }: TransactionOptions = {},
  ): Promise<T> {
    return isSnapshot ? this.#inTransaction('snapshot', timeoutMs, work) : this.#writing(timeoutMs, work);
  }

  poolStats(): SqlPoolStats {
    return this.#pool.stats();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #writing<T>(timeoutMs: number, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const progress = { isCommitting: false };
    try {
      return await this.#inTransaction('write', timeoutMs, work, progress);
    } catch (error) {
      throw !progress.isCommitting || isRefusedCommit(error) ? undone(error) : error;
    }
  }

  async #inTransaction<T>(
    mode: Mode,
    timeoutMs: number,
    work: (transaction: SqlTransaction) => Promise<T>,
    progress = { isCommitting: false },
  ): Promise<T> {
    const { lease, transaction } = await this.#begin(mode, systemClock.monotonicMs() + timeoutMs, timeoutMs);
    try {
      const result = await work(transaction);
      progress.isCommitting = true;
      await transaction.commit();
      lease.giveBack();
      return result;
    } catch (error) {
      if (isConnectionFault(error) || !(await transaction.rollBack())) lease.drop();
      else lease.giveBack();
      throw error;
    }
  }

  /** Nothing has run before the begin is answered: so one that meets a broken connection tries another. */
  async #begin(mode: Mode, endMs: number, timeoutMs: number): Promise<Begun> {
    for (;;) {
      const lease = await this.#lend(endMs);
      const transaction = new PostgresTransaction(lease.client, endMs);
      try {
        await transaction.script(beginning(mode, endMs - systemClock.monotonicMs(), timeoutMs));
        return { lease, transaction };
      } catch (error) {
        lease.drop();
        const isInTime = systemClock.monotonicMs() < endMs;
        if (!lease.isUsed || !isInTime || !isConnectionFault(error)) throw error;
      }
    }
  }

  async #lend(endMs: number): Promise<Lease> {
    try {
      return await this.#pool.lend(endMs - systemClock.monotonicMs());
    } catch (error) {
      throw sqlFault(error);
    }
  }
}

interface Begun {
  readonly lease: Lease;
  readonly transaction: PostgresTransaction;
}

function beginning(mode: Mode, leftMs: number, timeoutMs: number): string {
  const leadMs = Math.min(SERVER_LEAD_MAX_MS, timeoutMs * SERVER_LEAD_SHARE);
  const serverMs = Math.max(1, Math.floor(leftMs - leadMs));
  return (
    `begin isolation level ${MODES[mode]};` +
    `set local statement_timeout = ${serverMs};` +
    // A frozen node must not hold the lock that every change needs.
    `set local idle_in_transaction_session_timeout = ${serverMs};` +
    (mode === 'write' ? LOOK_FOR_CLIENT : '')
  );
}

/**
 * Nor must one that was killed, or has given up at its deadline, while its statement runs: that has a time limit of
 * its own, which began with it. The server looks whether its client is there only if it is told to, which one on
 * Windows can't.
 */
const LOOK_FOR_CLIENT = `select set_config('client_connection_check_interval', '1000', true)
  where version() !~* 'msvc|visual c|mingw'`;

/** Not what PostgreSQL itself refused, but a connection that broke or said nothing in time. */
function isConnectionFault(error: unknown): boolean {
  return error instanceof BrumeError && error.code === 'store_unavailable' && !isPostgresRefusal(error.cause);
}
