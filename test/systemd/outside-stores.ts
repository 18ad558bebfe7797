import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import type { Guest } from './guest.ts';

/**
 * PostgreSQL and Redis that stand outside a guest's network, and outlive its reboots. A guest has them from when
 * it is let in to them until it boots again.
 */
export class OutsideStores {
  readonly #postgres: PostgresServer;
  readonly #redis: RedisServer;
  readonly #directory: string;
  readonly #server: Server;

  private constructor(postgres: PostgresServer, redis: RedisServer, directory: string) {
    this.#postgres = postgres;
    this.#redis = redis;
    this.#directory = directory;
    this.#server = createServer((near) => {
      const far = connect(Number(new URL(postgres.url).port), '127.0.0.1');
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
    });
  }

  static async start(): Promise<OutsideStores> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const stores = new OutsideStores(postgres, redis, mkdtempSync(join(tmpdir(), 'brume-outside-')));
    stores.#server.listen(stores.#postgresPath);
    await once(stores.#server, 'listening');
    return stores;
  }

  /** As a guest that is let in has them. */
  get configuration(): string {
    return `BRUME_DATABASE_URL=${this.#postgres.url}\nBRUME_REDIS_URL=${this.#redis.url}\n`;
  }

  async letIn(guest: Guest): Promise<void> {
    const places = [
      [Number(new URL(this.#postgres.url).port), this.#postgresPath],
      [Number(new URL(this.#redis.url).port), new URL(this.#redis.socketUrl).pathname],
    ];
    const passage = guest.startBeside(join(import.meta.dirname, 'passage.ts'), JSON.stringify(places));
    await once(passage.stdout, 'data');
  }

  async stop(): Promise<void> {
    this.#server.close();
    await Promise.all([this.#postgres.stop(), this.#redis.stop()]);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #postgresPath(): string {
    return join(this.#directory, 'postgres.sock');
  }
}
