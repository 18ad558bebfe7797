import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreLog } from '../../store-log.ts';
import type { SqlConfig } from '../open-sql.ts';
import { PostgresSql } from '../postgres-sql.ts';
import { SqliteFile } from '../sqlite-file.ts';
import { StateDirError } from '../state-dir-error.ts';
import type { SnapshotReader } from './dump-tables.ts';

/** For a whole dump or load, however large. */
export const DUMP_TIMEOUT_MS = 12 * 3600 * 1000;

/** What matters arrives as a rejection. */
export const NO_LOG: StoreLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Reads the configuration store as it is at one moment, while Brume serves from it. Nothing is written,
 * and nobody who writes waits for it. Rejects with StateDirError where there is no store.
 */
export function readAtOneMoment<Result>(
  config: SqlConfig,
  work: (reader: SnapshotReader) => Promise<Result>,
): Promise<Result> {
  return config.databaseUrl === null
    ? readSqliteFile(databasePath(config.stateDir), work)
    : readPostgres({ ...config, databaseUrl: config.databaseUrl }, work);
}

export function databasePath(stateDir: string): string {
  return join(stateDir, 'brume.sqlite');
}

export async function readSqliteFile<Result>(
  path: string,
  work: (reader: SnapshotReader) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(path)) {
    throw new StateDirError(
      `there is no ${path}: if Brume serves from another place, name its configuration with --config`,
      undefined,
    );
  }
  const file = new SqliteFile(path, { isReadOnly: true });
  try {
    await file.script('begin');
    return await work(file);
  } finally {
    file.close();
  }
}

async function readPostgres<Result>(
  { databaseUrl, sqlTimeoutMs: timeoutMs }: SqlConfig & { readonly databaseUrl: string },
  work: (reader: SnapshotReader) => Promise<Result>,
): Promise<Result> {
  const sql = new PostgresSql({ databaseUrl, timeoutMs, log: NO_LOG });
  try {
    // A server that does not answer at all is noticed sooner than a dump takes.
    await sql.all('select 1 as there');
    return await sql.transaction(work, { timeoutMs: DUMP_TIMEOUT_MS, isSnapshot: true });
  } finally {
    await sql.close();
  }
}
