import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { startRedis } from '../../support/redis-server.ts';

const SLOW_MS = 10_000;

test('B21: a node whose clock is 10 s slow admits no more, and says the same about when to come back', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const slow = { ...systemClock, nowMs: () => systemClock.nowMs() - SLOW_MS };
  const nodes = [systemClock, slow].map((clock) =>
    RedisCounters.connect({ url: redis.url, timeoutMs: 5000, clock, log: silentLog }),
  );
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  await Promise.all(nodes.map(ready));
  const set = setOf({ algorithm: 'token_bucket', limit: 2, windowMs: 1000, burst: 4 });
  const key = freshKey();
  const admittedAt: number[] = [];
  const waits: number[] = [];
  for (let count = 0; count < 12; count++) {
    const node = nodes[count % 2] as RedisCounters;
    const { admitted, nowMs, limits } = await node.check({ key, set, cost: 1, peek: false });
    if (admitted) admittedAt.push(nowMs);
    else waits.push(Math.ceil(((limits[0]?.retryAtMs ?? 0) - nowMs) / 1000));
  }
  const [firstMs = 0] = admittedAt;
  assert.ok(admittedAt.filter((atMs) => atMs < firstMs + 1000).length <= 6, String(admittedAt));
  assert.ok(waits.every((wait) => wait === 0 || wait === 1) && waits.length > 0, `waits of ${waits}`);
});
