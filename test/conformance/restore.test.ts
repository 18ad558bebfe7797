import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { ENDLESS_MS, PERIODS } from '../../src/limiter/calendar.ts';
import type { QuotaLimit } from '../../src/limiter/limit.ts';
import type { QuotaCheckpoint, RestorableCounters } from '../../src/stores/checkpoints/quota-checkpoint.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { RedisCounters } from '../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../src/stores/redis/script-keys.ts';
import {
  Asker,
  type Engine,
  embeddedEngine,
  freshKey,
  ManualClock,
  quotaOf,
  redisEngine,
  setOf,
} from '../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const HISTORIES = Number(process.env.BRUME_TEST_HISTORIES ?? 300);
const HOUR_MS = 3_600_000;

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

function restorable({ counters }: Engine): RestorableCounters {
  if (counters instanceof EmbeddedCounters || counters instanceof RedisCounters) return counters;
  throw new TypeError('these counters can not be restored');
}

function itOnBoth(title: string, body: (engine: Engine) => Promise<void>): void {
  it(title, async () => {
    assert.equal(engines.length, 2);
    for (const engine of engines) await body(engine);
  });
}

/** What a quota would have been seen at now. */
function seen(key: string, { name, identity, calendar }: QuotaLimit, used: number, nowMs: number) {
  const { startMs, endMs } = calendar.edgesAt(nowMs);
  return { key, name, identity, startMs, endMs, used, observedMs: nowMs };
}

async function remaining(asker: Asker): Promise<(number | undefined)[]> {
  return (await asker.peek()).limits.map((limit) => limit.remaining);
}

describe('restoring quotas, on the embedded counters and on Redis', () => {
  itOnBoth('lost counts are back as they were, and end with their period', async (engine) => {
    const [day, never] = [quotaOf(10, 'day'), quotaOf(50, 'never')];
    const asker = new Asker(engine, setOf(day, never));
    const nowMs = engine.clock.nowMs();
    const checkpoints = [seen(asker.key, day, 7, nowMs), seen(asker.key, never, 20, nowMs)];
    assert.equal(await restorable(engine).restore(checkpoints), 2);
    assert.deepEqual(await remaining(asker), [3, 30]);
    assert.equal(await asker.admittedOf(5), 3);
    engine.clock.advance(24 * HOUR_MS);
    assert.deepEqual(await remaining(asker), [10, 27]);
  });

  itOnBoth('a count that is higher than its checkpoint stays', async (engine) => {
    const day = quotaOf(10, 'day');
    const asker = new Asker(engine, setOf(day));
    await asker.check(8);
    assert.equal(await restorable(engine).restore([seen(asker.key, day, 7, engine.clock.nowMs())]), 0);
    assert.deepEqual(await remaining(asker), [2]);
  });

  itOnBoth('what was counted since the loss is raised to the checkpoint', async (engine) => {
    const [day, month] = [quotaOf(10, 'day'), quotaOf(100, 'month')];
    const asker = new Asker(
      engine,
      setOf(day, { algorithm: 'fixed_window', limit: 9, windowMs: HOUR_MS }, month),
    );
    await asker.check(2);
    assert.equal(await restorable(engine).restore([seen(asker.key, day, 7, engine.clock.nowMs())]), 1);
    assert.deepEqual(await remaining(asker), [3, 7, 98]);
  });

  itOnBoth(
    'a quota of another calendar, or another algorithm of that name, is left alone',
    async (engine) => {
      const day = quotaOf(10, 'day');
      const nowMs = engine.clock.nowMs();
      for (const limit of [
        quotaOf(10, 'day', { timeZone: 'Asia/Tokyo' }),
        { name: 'day', algorithm: 'fixed_window', limit: 10, windowMs: HOUR_MS } as const,
      ]) {
        const asker = new Asker(engine, setOf(limit));
        await asker.check(2);
        assert.equal(await restorable(engine).restore([seen(asker.key, day, 7, nowMs)]), 0);
        assert.deepEqual(await remaining(asker), [8]);
      }
    },
  );

  itOnBoth('a restored count of a calendar that was changed since does not count', async (engine) => {
    const asker = new Asker(engine, setOf(quotaOf(10, 'day', { timeZone: 'Asia/Tokyo' })));
    await restorable(engine).restore([seen(asker.key, quotaOf(10, 'day'), 7, engine.clock.nowMs())]);
    assert.deepEqual(await remaining(asker), [10]);
  });

  itOnBoth(
    'a lowered limit denies at once after restoring, and never shows less than nothing',
    async (engine) => {
      const asker = new Asker(engine, setOf(quotaOf(5, 'day')));
      await restorable(engine).restore([seen(asker.key, quotaOf(10, 'day'), 7, engine.clock.nowMs())]);
      assert.deepEqual(await remaining(asker), [0]);
      assert.equal((await asker.check()).admitted, false);
    },
  );

  itOnBoth('a period that is over, or has not begun, is not restored', async (engine) => {
    const day = quotaOf(10, 'day');
    const asker = new Asker(engine, setOf(day));
    const nowMs = engine.clock.nowMs();
    const others = [nowMs - 24 * HOUR_MS, nowMs + 24 * HOUR_MS].map((atMs) => seen(asker.key, day, 7, atMs));
    assert.equal(await restorable(engine).restore(others), 0);
    assert.deepEqual(await remaining(asker), [10]);
  });

  itOnBoth('any number of checkpoints can be given at once', async (engine) => {
    const day = quotaOf(10, 'day');
    const keys = Array.from({ length: 200 }, freshKey);
    const checkpoints = keys.map((key) => seen(key, day, 7, engine.clock.nowMs()));
    assert.equal(await restorable(engine).restore(checkpoints), 200);
    assert.equal(await restorable(engine).restore([]), 0);
    const [last] = keys.slice(-1);
    const outcome = await engine.counters.check({ key: last ?? '', set: setOf(day), cost: 0, peek: true });
    assert.equal(outcome.limits[0]?.remaining, 3);
  });

  it('a restored key of Redis lives as long as its longest count, and one without an end has no TTL', async () => {
    const counters = RedisCounters.connect({
      url: server.url,
      timeoutMs: 5000,
      clock: new ManualClock(),
      log: { info: () => undefined, warn: () => undefined },
    });
    while (!(await counters.ping())) await new Promise((resolve) => setTimeout(resolve, 2));
    const [hour, month, never] = [quotaOf(10, 'hour'), quotaOf(10, 'month'), quotaOf(10, 'never')];
    const key = freshKey();
    const leftMs = (quota: QuotaLimit) => seen(key, quota, 1, Date.now()).endMs - Date.now();
    const isUntilEndOf = async (quota: QuotaLimit) =>
      Math.abs((await server.client.pttl(stateKey(key))) - leftMs(quota)) < 5000;
    await counters.restore([seen(key, hour, 1, Date.now())]);
    assert.ok(await isUntilEndOf(hour));
    await counters.restore([seen(key, month, 1, Date.now())]);
    assert.ok(await isUntilEndOf(month));
    await counters.restore([seen(key, hour, 2, Date.now())]);
    assert.ok(await isUntilEndOf(month), 'the shorter one does not shorten it');
    await counters.restore([seen(key, never, 1, Date.now())]);
    assert.equal(await server.client.pttl(stateKey(key)), -1);
    await counters.restore([seen(key, hour, 3, Date.now())]);
    assert.equal(await server.client.pttl(stateKey(key)), -1);
    await counters.close();
  });

  it('a damaged state in Redis is left for the next check to deal with', async () => {
    const [, redis] = engines;
    assert.ok(redis !== undefined);
    for (const damage of ['hello', '2 day:q:1:2:3']) {
      const key = freshKey();
      await server.client.set(stateKey(key), damage);
      assert.equal(
        await restorable(redis).restore([seen(key, quotaOf(10, 'day'), 7, redis.clock.nowMs())]),
        0,
      );
      assert.equal(await server.client.get(stateKey(key)), damage);
    }
    const list = freshKey();
    await server.client.rpush(stateKey(list), 'x');
    assert.equal(
      await restorable(redis).restore([seen(list, quotaOf(10, 'day'), 7, redis.clock.nowMs())]),
      0,
    );
  });

  it('the embedded table leaves out newcomers when it is full', async () => {
    const clock = new ManualClock();
    const counters = new EmbeddedCounters({ clock, identifiersMax: 2 });
    const checkpoints = ['a', 'b', 'c'].map((key) => seen(key, quotaOf(10, 'day'), 7, clock.nowMs()));
    assert.equal(await counters.restore(checkpoints), 2);
    assert.equal(await counters.restore(checkpoints.map((known) => ({ ...known, used: 8 }))), 2);
    assert.equal(counters.size, 2);
  });

  it('lowers no count, whatever is restored in whichever order, changes nothing the second time, and both agree', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, async ({ used, given, isReversed, passMs }) => {
        const key = freshKey();
        const results = [];
        for (const engine of engines) {
          engine.clock.set(1_800_000_000_000);
          results.push(await restoredHistory(engine, key, { used, given, isReversed, passMs }));
        }
        assert.deepEqual(results[0], results[1]);
      }),
      { numRuns: HISTORIES },
    );
  });
});

interface History {
  readonly used: readonly number[];
  readonly given: readonly { readonly quota: number; readonly used: number; readonly seenMs: number }[];
  readonly isReversed: boolean;
  readonly passMs: number;
}

const QUOTAS = PERIODS.map((period) => quotaOf(Number.MAX_SAFE_INTEGER, period));

const HISTORY: fc.Arbitrary<History> = fc.record({
  used: fc.array(fc.nat(20), { minLength: QUOTAS.length, maxLength: QUOTAS.length }),
  given: fc.array(
    fc.record({
      quota: fc.nat(QUOTAS.length - 1),
      used: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(Number.MAX_SAFE_INTEGER)),
      seenMs: fc.constantFrom(-400 * 24 * HOUR_MS, -25 * HOUR_MS, -HOUR_MS, 0, HOUR_MS, 25 * HOUR_MS),
    }),
    { maxLength: 12 },
  ),
  isReversed: fc.boolean(),
  passMs: fc.constantFrom(0, 1, HOUR_MS, 30 * HOUR_MS),
});

/** Counts, restores, lets time pass, restores again; resolves with what was seen on the way. */
async function restoredHistory(engine: Engine, key: string, { used, given, isReversed, passMs }: History) {
  const asker = new Asker(engine, { limits: QUOTAS });
  const check = (set: { limits: QuotaLimit[] }, cost: number) => asker.check(cost, { key, set });
  for (const [index, quota] of QUOTAS.entries()) {
    const limits = QUOTAS.slice(0, index + 1);
    if (quota !== undefined) await check({ limits }, used[index] ?? 0);
  }
  const peek = async () =>
    (await asker.check(0, { key, peek: true })).limits.map((limit) => ({ ...limit, delayMs: 0 }));
  const startMs = engine.clock.nowMs();
  const checkpoints = given.map(({ quota, used, seenMs }): QuotaCheckpoint => {
    const limit = QUOTAS[quota] ?? quotaOf(1, 'never');
    return seen(key, limit, used, startMs + seenMs);
  });
  const ordered = isReversed ? checkpoints.toReversed() : checkpoints;
  const story = [];
  for (const byMs of [0, passMs]) {
    engine.clock.advance(byMs);
    const before = await peek();
    const raised = await restorable(engine).restore(ordered);
    const restored = await peek();
    for (const [index, limit] of restored.entries()) {
      assert.ok(limit.remaining <= (before[index]?.remaining ?? 0), 'a count was lowered');
    }
    assert.equal(await restorable(engine).restore(ordered), 0);
    assert.deepEqual(await peek(), restored);
    story.push({ before, raised, restored });
  }
  assert.ok(checkpoints.every(({ endMs }) => endMs <= ENDLESS_MS));
  return story;
}
