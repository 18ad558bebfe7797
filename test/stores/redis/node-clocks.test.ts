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

const MINUTE = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 60_000 });

/** What each does of a node that has been answered nothing else. */
const CALLS: Readonly<Record<string, (counters: RedisCounters, key: string) => Promise<unknown>>> = {
  check: (counters, key) => counters.check({ key, set: MINUTE, cost: 1, peek: false }),
  reset: (counters, key) => counters.reset(key),
  announcement: (counters, key) => counters.announce(key, 7),
  'renewal of a lease': (counters, key) => counters.renewLease(key, 'nobody'),
  'release of a lease': (counters, key) => counters.releaseLease(key, 'nobody'),
  'list of leases': (counters, key) => counters.listLeases(key),
  'restoring of a quota': (counters, key) => {
    const startMs = Date.now() - DAY_MS;
    const period = { startMs, endMs: startMs + 2 * DAY_MS, observedMs: Date.now() };
    return counters.restore([{ key, name: 'day', identity: 1, used: 3, ...period }]);
  },
  merge: async (counters, key) => {
    const counted = new Map([
      [
        'fixed-window',
        { algorithm: 'fixed_window' as const, identity: 60_000, startMs: minuteOf(Date.now()), used: 1 },
      ],
    ]);
    const [answer] = await counters.merge([{ key, set: MINUTE, counted }]);
    if (answer instanceof Error) throw answer;
  },
};

const DAY_MS = 86_400_000;

const minuteOf = (ms: number): number => ms - (ms % 60_000);

for (const [name, call] of Object.entries(CALLS)) {
  test(`what a node knows of the time of Redis is wrong by 10 s: a ${name} is right at once`, async (t) => {
    const redis = await startRedis();
    t.after(() => redis.stop());
    let behindMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() - behindMs };
    const counters = RedisCounters.connect({ url: redis.url, timeoutMs: 5000, clock, log: silentLog });
    t.after(() => counters.close());
    await counters.firstTry();
    // As after a greeting that was read so late.
    behindMs = SLOW_MS;
    await call(counters, freshKey());
  });
}
