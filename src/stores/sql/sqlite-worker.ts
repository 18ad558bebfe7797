import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqliteReply, SqliteRequest, SqliteWorkerData, SqliteWorkerFault } from './sqlite-protocol.ts';

/**
 * Runs SQLite in a worker thread, so that its syncs never hold up the event loop that answers
 * checks. The worker is started from this function's source text, since a single executable can
 * start one from nothing else: it must not use anything from outside its own body, and the bundler
 * must not add helpers to it (esbuild's keepNames would).
 */
export function sqliteWorker(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const sqlite = process.getBuiltinModule('node:sqlite');
  const { databasePath, lockPath, busyTimeoutMs }: SqliteWorkerData = workerData;
  const SQLITE_BUSY = 5;
  const open = new Map<string, DatabaseSync>();
  const statements = new Map<string, StatementSync>();

  function holdLock(path: string): void {
    // Held until the process ends, however it ends. locking_mode keeps it across the transaction.
    const lock = new sqlite.DatabaseSync(path, { timeout: 0 });
    open.set('lock', lock);
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  }

  function openAll(): void {
    if (lockPath !== undefined) holdLock(lockPath);
    const options = { timeout: busyTimeoutMs, enableForeignKeyConstraints: true };
    const writer = new sqlite.DatabaseSync(databasePath, options);
    open.set('writer', writer);
    writer.exec('pragma journal_mode = wal; pragma synchronous = full');
    const reader = new sqlite.DatabaseSync(databasePath, options);
    open.set('reader', reader);
    reader.exec('pragma query_only = on');
  }

  function closeAll(): void {
    statements.clear();
    // The lock last: nobody may open the database before it is closed.
    for (const name of ['reader', 'writer', 'lock']) {
      open.get(name)?.close();
      open.delete(name);
    }
  }

  function prepare(database: DatabaseSync, request: SqliteRequest): StatementSync {
    const name = `${request.connection} ${request.statement}`;
    const statement = statements.get(name) ?? database.prepare(request.statement);
    statements.set(name, statement);
    return statement;
  }

  function answer(request: SqliteRequest): Omit<SqliteReply, 'id'> {
    if (request.kind === 'open') openAll();
    if (request.kind === 'close') closeAll();
    if (request.kind === 'open' || request.kind === 'close') return {};
    const database = open.get(request.connection);
    if (database === undefined) throw new Error('the embedded database is closed');
    if (request.kind === 'script') {
      database.exec(request.statement);
      return {};
    }
    const statement = prepare(database, request);
    if (request.kind === 'run') return { changes: Number(statement.run(...request.parameters).changes) };
    return { rows: statement.all(...request.parameters) };
  }

  function faultOf(error: unknown, request: SqliteRequest): SqliteWorkerFault {
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return {
      message: error instanceof Error ? error.message : String(error),
      errcode,
      isLocked: request.kind === 'open' && errcode === SQLITE_BUSY && !open.has('writer'),
      isUnsafeInteger: code === 'ERR_OUT_OF_RANGE',
    };
  }

  parentPort?.on('message', (request: SqliteRequest) => {
    let reply: SqliteReply;
    try {
      reply = { id: request.id, ...answer(request) };
    } catch (error) {
      reply = { id: request.id, fault: faultOf(error, request) };
      if (request.kind === 'open') closeAll();
    }
    parentPort.postMessage(reply);
  });
}
