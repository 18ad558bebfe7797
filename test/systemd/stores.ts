/**
 * PostgreSQL and Redis of this machine, for a guest on whose network this runs. Prints their URLs as JSON, and
 * goes when standard input ends.
 */
import { once } from 'node:events';
import { startPostgres } from '../support/postgres-server.ts';
import { startRedis } from '../support/redis-server.ts';

export interface StoreUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
const urls: StoreUrls = { databaseUrl: postgres.url, redisUrl: redis.url };
console.log(JSON.stringify(urls));
await once(process.stdin.resume(), 'end');
await Promise.all([postgres.stop(), redis.stop()]);
