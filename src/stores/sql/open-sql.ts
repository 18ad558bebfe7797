import type { StoreLog } from '../store-log.ts';
import { assertNotMoved } from './moved-mark.ts';
import { PostgresSql } from './postgres-sql.ts';
import type { Sql } from './sql.ts';
import { SqliteSql } from './sqlite-sql.ts';

/** A part of the configuration. */
export interface SqlConfig {
  /** Null: the embedded database in `stateDir` serves. */
  readonly databaseUrl: string | null;
  readonly stateDir: string;
  readonly sqlTimeoutMs: number;
}

export interface OpenSqlOptions {
  /** This process holds the lock of the state directory already. */
  readonly isDirectoryOwned?: boolean | undefined;
}

/**
 * Opens the configuration store. PostgreSQL is not contacted yet: it may be away while verdicts go
 * on. Rejects with StateDirError where the embedded database can't be opened, or was moved.
 */
export async function openSql(
  config: SqlConfig,
  log: StoreLog,
  { isDirectoryOwned }: OpenSqlOptions = {},
): Promise<Sql> {
  const { databaseUrl, stateDir, sqlTimeoutMs: timeoutMs } = config;
  if (databaseUrl === null) {
    assertNotMoved(stateDir);
    return SqliteSql.open({ stateDir, timeoutMs, ...(isDirectoryOwned && { isDirectoryOwned }) });
  }
  return new PostgresSql({ databaseUrl, timeoutMs, log });
}
