import { BrumeError } from '../errors/catalogue.ts';
import { migrate as migrateSchema } from '../stores/sql/migrate.ts';
import { openSql, type SqlConfig } from '../stores/sql/open-sql.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import { StateDirError } from '../stores/sql/state-dir-error.ts';
import type { StoreLog } from '../stores/store-log.ts';
import { OperationError } from './operation-error.ts';

/** What matters arrives as a rejection. */
const NO_LOG: StoreLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Opens the configuration store, brings its schema up to date and closes it. Resolves with the
 * names of the migrations that were applied: none if it was up to date.
 */
export async function migrate(config: SqlConfig): Promise<{ applied: string[] }> {
  try {
    const sql = await openSql(config, NO_LOG);
    try {
      const applied = await migrateSchema(sql);
      return { applied: applied.map(({ name }) => name) };
    } finally {
      await sql.close();
    }
  } catch (error) {
    throw operatorError(error);
  }
}

function operatorError(error: unknown): unknown {
  if (error instanceof SchemaError)
    return new OperationError(`The schema: ${error.message}`, { cause: error });
  if (error instanceof StateDirError) return new OperationError(error.message, { cause: error });
  if (!(error instanceof BrumeError) || error.code !== 'store_unavailable') return error;
  const reason = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : '';
  return new OperationError(`The configuration store can't be used${reason}`, { cause: error });
}
