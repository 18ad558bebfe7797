import { BrumeError } from '../../../errors/catalogue.ts';
import { BATCHES_COLUMNS, CounterFile } from '../counter-file.ts';
import type { SqlTransaction } from '../sql.ts';
import { makePrivateFile, SqliteFile } from '../sqlite-file.ts';
import { StateDirError } from '../state-dir-error.ts';
import { lockStateDir } from '../state-dir-lock.ts';
import { databasePath } from './read-at-one-moment.ts';

export interface StateDirTarget {
  readonly transaction: SqlTransaction;
  /** Where the batches of the embedded counters go. */
  readonly counters: { readonly transaction: SqlTransaction; readonly table: string };
}

/**
 * Writes the embedded stores of a directory in which no Brume runs, both files in one transaction: killed at
 * any moment, all of it is there or none. That is what SQLite's rollback journals do, and its write-ahead
 * logs don't: so the files leave that mode meanwhile. Rejects with StateDirError.
 */
export async function loadIntoStateDir<Result>(
  stateDir: string,
  work: (target: StateDirTarget) => Promise<Result>,
): Promise<Result> {
  const lock = lockStateDir(stateDir);
  try {
    return await loadLocked(stateDir, work);
  } finally {
    lock.giveBack();
  }
}

async function loadLocked<Result>(
  stateDir: string,
  work: (target: StateDirTarget) => Promise<Result>,
): Promise<Result> {
  const path = databasePath(stateDir);
  const countersPath = CounterFile.pathIn(stateDir);
  makePrivateFile(path);
  makePrivateFile(countersPath);
  const file = new SqliteFile(path);
  try {
    await file.all('attach database ?1 as counters', [countersPath]);
    for (const schema of ['main', 'counters']) await useRollbackJournal(file, schema, stateDir);
    await file.script('pragma foreign_keys = off; begin immediate');
    const counters = { transaction: file, table: 'counters.batches' };
    const result = await work({ transaction: file, counters });
    const broken = await file.all('pragma main.foreign_key_check');
    if (broken.length > 0) {
      throw new BrumeError('internal', {
        cause: new Error(`${broken.length} rows refer to rows that are not there`),
      });
    }
    await file.script('commit');
    await file.script('pragma main.journal_mode = wal; pragma counters.journal_mode = wal');
    return result;
  } finally {
    file.close();
  }
}

async function useRollbackJournal(file: SqliteFile, schema: string, stateDir: string): Promise<void> {
  const [row] = await file.all(`pragma ${schema}.journal_mode = delete`).catch(() => []);
  if (row?.journal_mode !== 'delete') {
    throw new StateDirError(
      `another program reads the files in ${stateDir}: wait until it has finished (a backup?), then repeat`,
      undefined,
    );
  }
  await file.script(`pragma ${schema}.synchronous = full`);
}

/** Empties the file of the counters, whatever format it had, for batches of this one. */
export async function clearCounters(
  { transaction, table }: StateDirTarget['counters'],
  formatVersion: number,
): Promise<void> {
  const [schema] = table.split('.');
  await transaction.script(`drop table if exists ${table}; create table ${table} ${BATCHES_COLUMNS}`);
  await transaction.script(`pragma ${schema}.user_version = ${formatVersion}`);
}

/** Whether anything is counted in it. */
export async function hasCounters({ transaction, table }: StateDirTarget['counters']): Promise<boolean> {
  const [schema, name] = table.split('.');
  const made = await transaction.all(
    `select 1 as there from ${schema}.sqlite_schema where type = 'table' and name = ?1`,
    [name ?? ''],
  );
  return made.length > 0 && (await transaction.all(`select 1 as there from ${table} limit 1`)).length > 0;
}

/** As `loadIntoStateDir`, for the counters alone: the configuration is elsewhere. `main.batches` is their table. */
export async function loadCountersAlone<Result>(
  stateDir: string,
  work: (counters: StateDirTarget['counters'], commit: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const lock = lockStateDir(stateDir);
  try {
    const path = CounterFile.pathIn(stateDir);
    makePrivateFile(path);
    const file = new SqliteFile(path);
    try {
      await file.script('pragma synchronous = full; begin immediate');
      return await work({ transaction: file, table: 'main.batches' }, () => file.script('commit'));
    } finally {
      file.close();
    }
  } finally {
    lock.giveBack();
  }
}
