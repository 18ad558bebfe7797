import type { SqlConfig } from '../open-sql.ts';
import { PostgresSql } from '../postgres-sql.ts';
import type { SqlTransaction } from '../sql.ts';
import { DUMP_TIMEOUT_MS, NO_LOG } from './read-at-one-moment.ts';

/** Runs `work` in one transaction that may take long. Rejects as `Sql` does. */
export async function writePostgres<Result>(
  {
    databaseUrl,
    sqlTimeoutMs: timeoutMs,
  }: Pick<SqlConfig, 'sqlTimeoutMs'> & { readonly databaseUrl: string },
  work: (transaction: SqlTransaction) => Promise<Result>,
): Promise<Result> {
  const sql = new PostgresSql({ databaseUrl, timeoutMs, log: NO_LOG });
  try {
    // A server that does not answer at all is noticed sooner than a load takes.
    await sql.all('select 1 as there');
    return await sql.transaction(work, { timeoutMs: DUMP_TIMEOUT_MS });
  } finally {
    await sql.close();
  }
}
