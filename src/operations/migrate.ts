import { migrate as migrateSchema } from '../stores/sql/migrate.ts';
import { openSql, type SqlConfig } from '../stores/sql/open-sql.ts';
import type { StoreLog } from '../stores/store-log.ts';
import { asOwner, makeStateDir, type StoresOwner } from './installed/as-owner.ts';
import { operatorError } from './operator-error.ts';

/** What matters arrives as a rejection. */
const NO_LOG: StoreLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Opens the configuration store, brings its schema up to date and closes it. Resolves with the
 * names of the migrations that were applied: none if it was up to date.
 */
export async function migrate(config: SqlConfig, owner?: StoresOwner): Promise<{ applied: string[] }> {
  try {
    if (config.databaseUrl === null) makeStateDir(config.stateDir, owner);
    return await asOwner(owner, () => migrateOpened(config));
  } catch (error) {
    throw operatorError(error);
  }
}

async function migrateOpened(config: SqlConfig): Promise<{ applied: string[] }> {
  const sql = await openSql(config, NO_LOG);
  try {
    const applied = await migrateSchema(sql);
    return { applied: applied.map(({ name }) => name) };
  } finally {
    await sql.close();
  }
}
