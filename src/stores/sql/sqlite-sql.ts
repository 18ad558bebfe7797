import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Row, Sql, SqlTransaction, SqlValue, TransactionOptions } from './sql.ts';
import { isRefusedCommit, sqlFault, undone } from './sql-fault.ts';
import { SqliteFault } from './sqlite-fault.ts';
import type { SqliteReply, SqliteRequest } from './sqlite-protocol.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { StateDirError } from './state-dir-error.ts';
import { Turns } from './turns.ts';

export interface SqliteOptions {
  readonly stateDir: string;
  readonly timeoutMs: number;
  /** `brume.sqlite`, if absent. */
  readonly fileName?: string;
  /** This process owns the directory already, by another file in it. */
  readonly isDirectoryOwned?: boolean;
}

/** Opening may have to replay a write-ahead log first. */
const OPEN_TIMEOUT_MS = 60_000;

/** An embedded database: a file in the state directory, which this process then owns. */
export class SqliteSql implements Sql {
  readonly dialect = 'sqlite';
  readonly #thread: SqliteThread;
  readonly #timeoutMs: number;
  readonly #turns = new Turns();

  private constructor(thread: SqliteThread, timeoutMs: number) {
    this.#thread = thread;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with StateDirError where the directory can't be used, also because another process does. */
  static async open(options: SqliteOptions): Promise<SqliteSql> {
    const { stateDir, timeoutMs, fileName = 'brume.sqlite', isDirectoryOwned = false } = options;
    const databasePath = join(stateDir, fileName);
    const lockPath = isDirectoryOwned ? undefined : join(stateDir, 'brume.lock');
    try {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      makePrivate(databasePath);
      if (lockPath !== undefined) makePrivate(lockPath);
    } catch (error) {
      throw new StateDirError(`the state directory ${stateDir} can't be written to`, error);
    }
    const thread = new SqliteThread({ databasePath, lockPath, busyTimeoutMs: timeoutMs });
    try {
      await thread.ask(requestOf('writer', 'open', ''), OPEN_TIMEOUT_MS);
    } catch (error) {
      await thread.end();
      throw openFault(databasePath, error);
    }
    return new SqliteSql(thread, timeoutMs);
  }

  async all(statement: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#ask(requestOf('reader', 'all', statement, parameters), this.#timeoutMs)).rows ?? [];
  }

  async transaction<T>(
    work: (transaction: SqlTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const done = await this.#turns.take(timeoutMs).catch(rethrowUndone);
    const ask = (kind: SqliteRequest['kind'], statement: string, parameters: readonly SqlValue[] = []) =>
      this.#ask(requestOf('writer', kind, statement, parameters), timeoutMs);
    let isCommitting = false;
    try {
      await ask('script', 'begin immediate');
      const result = await work({
        dialect: 'sqlite',
        all: async (statement, parameters) => (await ask('all', statement, parameters)).rows ?? [],
        run: async (statement, parameters) => (await ask('run', statement, parameters)).changes ?? 0,
        script: async (statements) => void (await ask('script', statements)),
      });
      isCommitting = true;
      await ask('script', 'commit');
      return result;
    } catch (error) {
      // Fails where nothing was begun or SQLite has rolled back by itself: then there is nothing to undo.
      await ask('script', 'rollback').catch(() => undefined);
      throw !isCommitting || isRefusedCommit(error) ? undone(error) : error;
    } finally {
      done();
    }
  }

  async close(): Promise<void> {
    await this.#thread.ask(requestOf('writer', 'close', ''), this.#timeoutMs).catch(() => undefined);
    await this.#thread.end();
  }

  async #ask(request: Omit<SqliteRequest, 'id'>, timeoutMs: number): Promise<SqliteReply> {
    try {
      return await this.#thread.ask(request, timeoutMs);
    } catch (error) {
      throw sqlFault(error);
    }
  }
}

function rethrowUndone(error: unknown): never {
  throw undone(error);
}

function requestOf(
  connection: SqliteRequest['connection'],
  kind: SqliteRequest['kind'],
  statement: string,
  parameters: readonly SqlValue[] = [],
): Omit<SqliteRequest, 'id'> {
  return { connection, kind, statement, parameters };
}

/**
 * Makes a file that only its owner can read; SQLite gives its companions (-wal, -shm) the same mode.
 * An existing file is not opened here: closing it would drop every lock that this process holds on it.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    chmodSync(path, 0o600);
  }
}

function openFault(databasePath: string, error: unknown): Error {
  const stateDir = dirname(databasePath);
  if (error instanceof SqliteFault && error.isLocked) {
    return new StateDirError(
      `another Brume process is using the state directory ${stateDir}: ` +
        'stop it first, or give this one a directory of its own with BRUME_STATE_DIR',
      error,
    );
  }
  if (error instanceof BrumeError) return error;
  return new StateDirError(`the embedded database ${databasePath} can't be opened`, error);
}
