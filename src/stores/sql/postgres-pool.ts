import pg from 'pg';
import { systemClock } from '../../limiter/clock.ts';
import type { SqlPoolStats } from '../../telemetry/metrics/store-stats.ts';
import { Seldom } from '../../telemetry/seldom.ts';
import type { StoreLog } from '../store-log.ts';
import { clientConfig, PostgresClient } from './postgres-client.ts';
import { safeInteger } from './row.ts';

export interface PostgresOptions {
  readonly databaseUrl: string;
  /** For a whole call: getting a connection, its statements and the commit. */
  readonly timeoutMs: number;
  readonly log: StoreLog;
}

/** A connection that is lent, and must be given back. */
export interface Lease {
  readonly client: pg.PoolClient;
  /** Whether it has served before: then it may have been broken for long without anybody's notice. */
  readonly isUsed: boolean;
  giveBack(): void;
  /** It can't be relied on; nor can the idle ones beside it, which are not used again. */
  drop(): void;
}

const CONNECTIONS_MAX = 10;

/** Connections to PostgreSQL. Broken ones are logged and replaced, and never end the process. */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #generations = new WeakMap<object, number>();
  /** Rises with each fault of a connection: what was opened before may be as dead. */
  #generation = 0;

  constructor({ databaseUrl, timeoutMs, log }: PostgresOptions) {
    this.#pool = new pg.Pool({
      ...clientConfig(databaseUrl, timeoutMs),
      application_name: 'brume',
      Client: PostgresClient,
      max: CONNECTIONS_MAX,
      allowExitOnIdle: true,
      types: { getTypeParser },
    });
    const seldom = new Seldom(systemClock);
    // Idle ones report to the pool; those in use only to whoever listens on them.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', (error) => {
        this.#generation += 1;
        seldom.run('broken', (suppressed) =>
          log.warn(
            suppressed > 0 ? { err: error, suppressed } : { err: error },
            'a connection to PostgreSQL broke',
          ),
        );
      });
    });
  }

  /** Rejects with the driver's fault, or once `timeoutMs` have passed. */
  async lend(timeoutMs: number): Promise<Lease> {
    const endMs = systemClock.monotonicMs() + timeoutMs;
    for (;;) {
      const client = await this.#connect(endMs - systemClock.monotonicMs());
      const generation = this.#generations.get(client);
      const isUsed = generation !== undefined;
      if (!isUsed) this.#generations.set(client, this.#generation);
      if (!isUsed || generation === this.#generation) return this.#lease(client, isUsed);
      discard(client);
    }
  }

  stats(): SqlPoolStats {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  #lease(client: pg.PoolClient, isUsed: boolean): Lease {
    return {
      client,
      isUsed,
      giveBack: () => client.release(),
      drop: () => {
        this.#generation += 1;
        discard(client);
      },
    };
  }

  #connect(timeoutMs: number): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(
        () => {
          isLate = true;
          reject(new Error(`PostgreSQL gave no connection within ${Math.round(timeoutMs)} ms`));
        },
        Math.max(0, timeoutMs),
      );
      this.#pool.connect().then(
        (client) => {
          clearTimeout(timer);
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }
}

function discard(client: pg.PoolClient): void {
  client.release(true);
  if (client instanceof PostgresClient) client.destroy();
}

/** bigint comes as text: read as a number, and refused where it is none exactly. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return safeInteger;
  return pg.types.getTypeParser(oid, format);
}
