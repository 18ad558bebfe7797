import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import type { LimitSet } from '../../../src/limiter/counters.ts';
import { newToken } from '../../../src/limiter/sealed-id.ts';
import { Asker, type Engine, quotaOf, redisEngine, setOf } from '../../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

/** Beyond the ten minutes for which a reservation that is over is remembered. */
const LONG_AFTER_MS = 3 * 3600 * 1000;

describe('reservations in Redis', () => {
  let server: RedisServer;
  let engine: Engine;
  let redis: Redis;
  before(async () => {
    server = await startRedis();
    engine = await redisEngine(server);
    redis = new Redis(server.url);
  });
  after(async () => {
    redis?.disconnect();
    await engine?.counters.close();
    await server?.stop();
  });

  async function ttlsOf({ key }: Asker): Promise<{ state: number; reservations: number }> {
    const names = await redis.keys(`*${key}*`);
    const ttlOf = (suffix: string) => redis.pttl(String(names.find((name) => name.endsWith(suffix))));
    return { state: await ttlOf(key), reservations: await ttlOf(':reservations') };
  }

  async function reserving(set: LimitSet): Promise<Asker> {
    const asker = new Asker(engine, set);
    const { admitted } = await asker.check(4, { reservation: newToken(1000) });
    assert.equal(admitted, true);
    return asker;
  }

  it('stay as long as the count that they are in, however long nobody comes', async () => {
    const monthly = await reserving(setOf(quotaOf(10, 'month')));
    const { state, reservations } = await ttlsOf(monthly);
    assert.ok(state > 0 && reservations >= state - 1000, `${reservations} of ${state} ms`);

    const endless = await reserving(setOf(quotaOf(10, 'never')));
    assert.deepEqual(await ttlsOf(endless), { state: -1, reservations: -1 });
    engine.clock.advance(LONG_AFTER_MS);
    assert.equal((await endless.check(1)).limits[0]?.remaining, 9);
    assert.equal((await ttlsOf(endless)).reservations, -2, 'nothing is left to remember');
  });

  it('go with the count as it lasts longer, also where a check reads none of them', async () => {
    const set = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 60_000 });
    const asker = await reserving(set);
    asker.set = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 60_000 }, quotaOf(10, 'year'));
    await asker.check(1);
    const { state, reservations } = await ttlsOf(asker);
    assert.ok(reservations >= state - 1000, `${reservations} of ${state} ms`);
  });
});
