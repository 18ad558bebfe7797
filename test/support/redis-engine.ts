import { after, before } from 'node:test';
import { type Engine, redisEngine } from './counter-engines.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

/** Starts a Redis with an engine for the suite that it is called in; both are there once tests run. */
export function startRedisEngine(): { readonly redis: () => Engine; readonly server: () => RedisServer } {
  let server: RedisServer;
  let engine: Engine;
  before(async () => {
    server = await startRedis();
    engine = await redisEngine(server);
  });
  after(async () => {
    await engine?.counters.close();
    await server?.stop();
  });
  return { redis: () => engine, server: () => server };
}
