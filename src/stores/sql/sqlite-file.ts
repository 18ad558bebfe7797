import { chownSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row, SqlTransaction, SqlValue } from './sql.ts';
import { sqlFault } from './sql-fault.ts';

/** How long a statement waits for a lock that another program holds. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * An SQLite file on one connection of this very thread: for operations, which have no event loop to
 * spare. Whoever writes begins and ends its transactions by script.
 */
export class SqliteFile implements SqlTransaction {
  readonly dialect = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** The file must exist; see `makePrivateFile`. */
  constructor(path: string, { isReadOnly = false }: { readonly isReadOnly?: boolean } = {}) {
    try {
      this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
      if (isReadOnly) this.#database.exec('pragma query_only = on');
    } catch (error) {
      throw sqlFault(error);
    }
  }

  async all(statement: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#try(() => this.#prepared(statement).all(...parameters));
  }

  async run(statement: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return this.#try(() => Number(this.#prepared(statement).run(...parameters).changes));
  }

  async script(statements: string): Promise<void> {
    this.#try(() => this.#database.exec(statements));
  }

  /** What was not committed is rolled back. */
  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(statement: string): StatementSync {
    const prepared = this.#statements.get(statement) ?? this.#database.prepare(statement);
    this.#statements.set(statement, prepared);
    return prepared;
  }

  #try<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw sqlFault(error);
    }
  }
}

/** Makes an empty file that only its owner can read, if there is none; root makes it for the directory's owner. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}
