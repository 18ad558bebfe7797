import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Engine, embeddedEngine, redisEngine } from './counter-engines.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

type ItOnBoth = (title: string, body: (engine: Engine) => Promise<void>) => void;

/** Starts both engines for a test file: each test then asks the two, so that nothing can hold on one only. */
export function startBothEngines(): ItOnBoth {
  let server: RedisServer;
  const engines: Engine[] = [embeddedEngine()];
  before(async () => {
    server = await startRedis();
    engines.push(await redisEngine(server));
  });
  after(async () => {
    for (const { counters } of engines) await counters.close();
    await server?.stop();
  });
  return (title, body) => {
    it(title, async () => {
      assert.equal(engines.length, 2);
      for (const engine of engines) await body(engine);
    });
  };
}
