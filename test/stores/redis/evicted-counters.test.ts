import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/limiter/clock.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf } from '../../support/counter-engines.ts';
import { startRedis } from '../../support/redis-server.ts';

const SET = setOf({ algorithm: 'gcra', limit: 3, windowMs: 366 * 24 * 3_600_000 });

it('B35: of a Redis that may evict, whoever was exhausted stays denied, or the loss is told and counted', async (t) => {
  const server = await startRedis({ args: ['--maxmemory', '3mb', '--maxmemory-policy', 'allkeys-lru'] });
  t.after(() => server.stop());
  const lines: string[] = [];
  const counters = RedisCounters.connect({
    url: server.url,
    timeoutMs: 2000,
    memoryCheckMs: 20,
    clock: systemClock,
    log: { info: () => undefined, warn: (_fields: object, line: string) => void lines.push(line) },
  });
  t.after(() => counters.close());
  await ready(counters);
  // Evictions are counted from when they were first looked at.
  while (counters.stats().mayEvict !== true) await delay(5);
  const check = (key: string) => counters.check({ key, set: SET, cost: 1, peek: false });
  const keys = Array.from({ length: 50 }, freshKey);
  for (const key of keys) for (let count = 0; count < 3; count++) await check(key);

  for (let junk = 0; junk < 600; junk++) await server.client.set(`junk${junk}`, 'x'.repeat(10_000));
  const outcomes = await Promise.all(keys.map(check));
  const forgotten = outcomes.filter(({ admitted }) => admitted).length;
  assert.ok(forgotten > 0, 'nobody was forgotten, so that nothing was to be told');
  for (const { admitted, limits } of outcomes) {
    if (admitted) assert.equal(limits[0]?.remaining, 2, 'the limit has begun anew');
  }
  const endMs = Date.now() + 10_000;
  while (counters.stats().evictions < forgotten && Date.now() < endMs) await delay(5);
  assert.ok(counters.stats().evictions >= forgotten);
  assert.ok(lines.includes('Redis may evict counters, and then admits more than their limits'));
  assert.ok(lines.includes('Redis has evicted keys: limits whose counters they were begin anew'));
});
