import { Worker } from 'node:worker_threads';
import { BrumeError } from '../../errors/catalogue.ts';
import { SqliteFault } from './sqlite-fault.ts';
import type { SqliteReply, SqliteRequest, SqliteWorkerData } from './sqlite-protocol.ts';
import { sqliteWorker } from './sqlite-worker.ts';

interface Pending {
  readonly resolve: (reply: SqliteReply) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** The side of the SQLite thread that asks: one promise a request, each with a deadline. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #isOver = false;

  constructor(data: SqliteWorkerData) {
    this.#worker = new Worker(`(${sqliteWorker.toString()})()`, {
      eval: true,
      name: 'sqlite',
      workerData: data,
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the embedded database is closed')));
  }

  ask(request: Omit<SqliteRequest, 'id'>, timeoutMs: number): Promise<SqliteReply> {
    if (this.#isOver) {
      return Promise.reject(
        new BrumeError('store_unavailable', { cause: new Error('the embedded database is closed') }),
      );
    }
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const timer = setTimeout(() => {
        const cause = new Error(`the embedded database took longer than ${timeoutMs} ms`);
        this.#take(id)?.reject(new BrumeError('store_unavailable', { cause }));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      // The process stays for an answer, and only for that.
      this.#worker.ref();
      this.#worker.postMessage({ ...request, id });
    });
  }

  /** Ends the thread, whatever it does; SQLite rolls back what was not committed. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: SqliteReply): void {
    const pending = this.#take(reply.id);
    if (reply.fault === undefined) pending?.resolve(reply);
    else pending?.reject(new SqliteFault(reply.fault));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    clearTimeout(pending.timer);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref();
    return pending;
  }

  #fail(error: Error): void {
    this.#isOver = true;
    for (const id of [...this.#pending.keys()]) {
      this.#take(id)?.reject(new BrumeError('store_unavailable', { cause: error }));
    }
  }
}
