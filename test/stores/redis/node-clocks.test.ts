import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Asked } from '../../../src/limiter/asking.ts';
import { type Clock, systemClock } from '../../../src/limiter/clock.ts';
import type { Verdict } from '../../../src/limiter/verdict.ts';
import { verdictOf } from '../../../src/limiter/verdict-of.ts';
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
  const waits: (number | null)[] = [];
  for (let count = 0; count < 12; count++) {
    const node = nodes[count % 2] as RedisCounters;
    const outcome = await node.check({ key, set, cost: 1, peek: false });
    const { success, retryAfter } = saidBy(t, count % 2 === 0 ? systemClock : slow, { set, outcome });
    if (success) admittedAt.push(outcome.nowMs);
    else waits.push(retryAfter);
  }
  const [firstMs = 0] = admittedAt;
  assert.ok(admittedAt.filter((atMs) => atMs < firstMs + 1000).length <= 6, String(admittedAt));
  assert.ok(waits.every((wait) => wait === 0 || wait === 1) && waits.length > 0, `waits of ${waits}`);
});

/** The verdict on a node that has no other time than this clock's. */
function saidBy(t: TestContext, clock: Clock, { set, outcome }: Pick<Asked, 'set' | 'outcome'>): Verdict {
  const nowMs = clock.nowMs();
  const time = t.mock.method(Date, 'now', () => nowMs);
  try {
    const rule = { ...set, onStoreFailure: 'open' as const };
    const namespace = { id: 'n', projectId: 'p', name: 'login', rule };
    const check = { namespace, identifier: 'ann', cost: 1, peek: false };
    return verdictOf({ check, exception: undefined, set, outcome }, nowMs);
  } finally {
    time.mock.restore();
  }
}

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
