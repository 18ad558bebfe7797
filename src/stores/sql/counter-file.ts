import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteFault } from './sqlite-fault.ts';
import { SqliteSql } from './sqlite-sql.ts';
import { StateDirError } from './state-dir-error.ts';

/** Entries of the embedded counters that were written together. */
export interface CounterBatch {
  /** Later batches have higher ones. */
  readonly id: number;
  /** By the wall clock when they were gathered, epoch milliseconds. */
  readonly savedMs: number;
  readonly entryCount: number;
  /** A list as JSON; what it means is the embedded counters' own affair. */
  readonly entries: string;
}

export interface CounterFileOptions {
  readonly stateDir: string;
  /** This process holds the directory's lock already. */
  readonly isDirectoryOwned: boolean;
  /** Of the entries; a file with a higher one is refused. */
  readonly formatVersion: number;
}

export interface CounterFileWriter {
  append(batch: CounterBatch): Promise<void>;
  /** Drops up to `limit` of the oldest batches with lower ids. Resolves with how many that were. */
  dropBefore(id: number, limit: number): Promise<number>;
}

const FILE_NAME = 'counters.sqlite';

/** Of the file's one table, as in `create table if not exists …`. */
export const BATCHES_COLUMNS = `(
    id integer primary key,
    saved_ms integer not null,
    entry_count integer not null,
    entries text not null
  ) strict`;

/** A disk that stalls longer counts as one that fails. */
const TIMEOUT_MS = 30_000;

const SCHEMA = `create table if not exists batches ${BATCHES_COLUMNS}`;

/**
 * `counters.sqlite`: a log to which batches are only ever appended, and whose old end is cut off. Rows
 * that are written over in place, at random, would cost the disk a page for each, twice.
 */
export class CounterFile {
  readonly #sql: SqliteSql;

  private constructor(sql: SqliteSql) {
    this.#sql = sql;
  }

  static pathIn(stateDir: string): string {
    return join(stateDir, FILE_NAME);
  }

  /** Rejects with StateDirError; `isDamaged` tells whether the file is to blame. */
  static async open({ stateDir, isDirectoryOwned, formatVersion }: CounterFileOptions): Promise<CounterFile> {
    const options = { stateDir, isDirectoryOwned, fileName: FILE_NAME, timeoutMs: TIMEOUT_MS };
    const sql = await SqliteSql.open(options);
    try {
      const [row] = await sql.all('pragma user_version');
      const known = Number(row?.user_version);
      if (known > formatVersion) throw tooNew(CounterFile.pathIn(stateDir), known, formatVersion);
      await sql.transaction(async (transaction) => {
        await transaction.script(SCHEMA);
        if (known < formatVersion) await transaction.script(`pragma user_version = ${formatVersion}`);
      });
      return new CounterFile(sql);
    } catch (error) {
      await sql.close();
      throw error;
    }
  }

  /**
   * To be read while another process writes it, and to be written when that has ended. Undefined if it isn't
   * there, or of an older version. Rejects with StateDirError.
   */
  static async openBeside({
    stateDir,
    formatVersion,
  }: Pick<CounterFileOptions, 'stateDir' | 'formatVersion'>): Promise<CounterFile | undefined> {
    if (!existsSync(CounterFile.pathIn(stateDir))) return undefined;
    const options = { stateDir, isDirectoryOwned: true, fileName: FILE_NAME, timeoutMs: TIMEOUT_MS };
    const sql = await SqliteSql.open(options);
    try {
      const [row] = await sql.all('pragma user_version');
      const known = Number(row?.user_version);
      if (known > formatVersion) throw tooNew(CounterFile.pathIn(stateDir), known, formatVersion);
      if (known === formatVersion) return new CounterFile(sql);
      await sql.close();
      return undefined;
    } catch (error) {
      await sql.close();
      throw error;
    }
  }

  /** The error of opening or reading says that the file's content is not what it should be. */
  static isDamaged(error: unknown): boolean {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof SqliteFault && cause.isDamage) return true;
    }
    return false;
  }

  /** Gives a damaged file another name, so that a new one can be begun; resolves with that name. */
  static setAside(stateDir: string, nowMs: number): string {
    const time = new Date(nowMs).toISOString().replaceAll(':', '');
    const aside = `${FILE_NAME}.damaged-${time}`;
    for (const companion of ['-wal', '-shm', '']) {
      try {
        renameSync(join(stateDir, FILE_NAME + companion), join(stateDir, aside + companion));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      }
    }
    return join(stateDir, aside);
  }

  /** The latest batches with ids lower than the one given, the latest first. */
  async before(id: number, limit: number): Promise<readonly CounterBatch[]> {
    const rows = await this.#sql.all(
      `select id, saved_ms as "savedMs", entry_count as "entryCount", entries
         from batches where id < ?1 order by id desc limit ?2`,
      [id, limit],
    );
    return rows.map(({ id, savedMs, entryCount, entries }) => ({
      id: Number(id),
      savedMs: Number(savedMs),
      entryCount: Number(entryCount),
      entries: String(entries),
    }));
  }

  /** All that `work` does is on disk when this resolves, or nothing is when it rejects. */
  async write(work: (writer: CounterFileWriter) => Promise<void>): Promise<void> {
    await this.#sql.transaction((transaction) =>
      work({
        append: async ({ id, savedMs, entryCount, entries }) => {
          await transaction.run(
            'insert into batches (id, saved_ms, entry_count, entries) values (?1, ?2, ?3, ?4)',
            [id, savedMs, entryCount, entries],
          );
        },
        dropBefore: (id, limit) =>
          transaction.run(
            'delete from batches where id in (select id from batches where id < ?1 order by id limit ?2)',
            [id, limit],
          ),
      }),
    );
  }

  async close(): Promise<void> {
    await this.#sql.close();
  }
}

function tooNew(path: string, found: number, known: number): StateDirError {
  return new StateDirError(
    `${path} was written by a newer Brume, in format ${found} where this one knows ${known}: start the newer ` +
      'one again, or move the file away to begin counting anew',
    undefined,
  );
}
