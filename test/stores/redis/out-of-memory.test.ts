import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { CounterCheck, LimitSet } from '../../../src/limiter/counters.ts';
import { CountersError } from '../../../src/limiter/counters.ts';
import type { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../src/stores/redis/script-keys.ts';
import { freshKey, quotaOf, ready, redisEngine, setOf } from '../../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const WINDOW_MS = 60_000;
const window = (algorithm: 'fixed_window' | 'sliding_log', limit = 10) =>
  setOf({ algorithm, limit, windowMs: WINDOW_MS });
const PLACES: LimitSet = {
  limits: [
    { name: 'places', mode: 'enforce', algorithm: 'concurrency', limit: 5, ttlMs: WINDOW_MS, identity: 0 },
  ],
};
const SETS: Record<string, LimitSet> = {
  ...Object.fromEntries(
    (['fixed_window', 'sliding_window', 'sliding_log', 'token_bucket', 'leaky_bucket', 'gcra'] as const).map(
      (algorithm) => [algorithm, setOf({ algorithm, limit: 10, windowMs: WINDOW_MS })],
    ),
  ),
  quota: setOf(quotaOf(10, 'day')),
  concurrency: PLACES,
};

let server: RedisServer;
let counters: RedisCounters;
let clock: Awaited<ReturnType<typeof redisEngine>>['clock'];

before(async () => {
  server = await startRedis();
  const engine = await redisEngine(server);
  counters = engine.counters as RedisCounters;
  clock = engine.clock;
  await ready(counters);
});
after(async () => {
  await counters?.close();
  await server?.stop();
});
beforeEach(() => server.client.config('SET', 'maxmemory', '0'));

const places = (set: LimitSet) => (set === PLACES ? { holder: `${freshKey()}:${WINDOW_MS}` } : {});
const asked = (key: string, set: LimitSet, more: Partial<CounterCheck> = {}): CounterCheck => ({
  key,
  set,
  cost: 1,
  peek: false,
  ...places(set),
  ...more,
});

/** All that is in Redis. */
async function contents(): Promise<string> {
  const keys = (await server.client.keys('*')).sort();
  const hash = createHash('sha1');
  for (const key of keys) hash.update(key).update((await server.client.dumpBuffer(key)) ?? '');
  return hash.digest('hex');
}

async function faultOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => 'none',
    (error: unknown) => (error instanceof CountersError ? error.fault : error),
  );
}

/** Each of these is refused as full where memory is out, and changes nothing. */
async function assertRefused(...calls: (() => Promise<unknown>)[]): Promise<void> {
  const before = await contents();
  await server.client.config('SET', 'maxmemory', '1');
  for (const call of calls) {
    assert.equal(await faultOf(call()), 'full', String(call));
    assert.equal(await contents(), before, `${call} changed something`);
  }
  await server.client.config('SET', 'maxmemory', '0');
}

describe('a Redis out of memory', () => {
  for (const [name, set] of Object.entries(SETS)) {
    it(`B35: ${name} counts nobody, newcomer or known, and counts on from where it was`, async () => {
      const key = freshKey();
      await counters.check(asked(key, set));
      await assertRefused(
        () => counters.check(asked(key, set)),
        () => counters.check(asked(freshKey(), set)),
        () => counters.check(asked(freshKey(), set, { requestKey: freshKey() })),
        () => counters.checkAtomically([asked(key, set), asked(freshKey(), set)]),
      );
      // What it held has run out by then: it is cleared away first, or cut off.
      clock.advance(WINDOW_MS + 1);
      await assertRefused(() => counters.check(asked(key, set)));
      assert.equal((await counters.check(asked(key, set))).admitted, true);
    });

    it(`B35: ${name} still says how somebody stands, and denies who is over the limit`, async () => {
      const key = freshKey();
      const capacity = set === PLACES ? 5 : 10;
      for (let count = 0; count < capacity; count++) await counters.check(asked(key, set));
      const before = await contents();
      await server.client.config('SET', 'maxmemory', '1');
      assert.equal((await counters.check(asked(key, set))).admitted, false);
      assert.equal((await counters.check(asked(key, set, { peek: true }))).limits[0]?.remaining, 0);
      assert.equal((await counters.check(asked(freshKey(), set, { peek: true }))).admitted, true);
      assert.equal(await contents(), before);
    });

    it(`B35: nothing that a node admitted by itself is merged into ${name}`, async () => {
      const [key, damaged] = [freshKey(), freshKey()];
      await counters.check(asked(key, set));
      await server.client.set(stateKey(damaged), 'hello');
      const merged = (...keys: string[]) =>
        counters.merge(keys.map((each) => ({ key: each, set, counted: new Map() })));
      const fault = async (...keys: string[]) => {
        const [answer] = await merged(...keys);
        if (answer instanceof CountersError) throw answer;
      };
      if (set === PLACES) await assertRefused(() => fault(damaged, freshKey()));
      else
        await assertRefused(
          () => fault(key, freshKey()),
          () => fault(damaged, key),
        );
    });
  }

  it('B35: of a merge whose first identifier needs no memory nothing is done either', async () => {
    const [places, counted] = [freshKey(), freshKey()];
    const set = window('fixed_window');
    await counters.check(asked(counted, set));
    await assertRefused(async () => {
      const [, answer] = await counters.merge([
        { key: places, set: PLACES, counted: new Map() },
        { key: counted, set, counted: new Map() },
      ]);
      if (answer instanceof CountersError) throw answer;
    });
  });

  it('B35: a sliding log whose oldest entries have run out is not cut', async () => {
    const set = window('sliding_log');
    const key = freshKey();
    await counters.check(asked(key, set));
    clock.advance(WINDOW_MS / 2);
    await counters.check(asked(key, set));
    clock.advance(WINDOW_MS / 2);
    await assertRefused(() => counters.check(asked(key, set)));
    assert.equal((await counters.check(asked(key, set))).limits[0]?.remaining, 8);
  });

  it('B35: what is damaged stays until there is memory, and nobody of its turn is counted', async () => {
    const [damaged, other] = [freshKey(), freshKey()];
    const set = window('fixed_window');
    await server.client.set(stateKey(damaged), 'hello');
    await assertRefused(
      () => counters.check(asked(damaged, set)),
      async () => {
        const faults = await Promise.all(
          [damaged, other].map((key) => faultOf(counters.check(asked(key, set)))),
        );
        if (faults.some((fault) => fault !== 'full')) assert.fail(String(faults));
        throw new CountersError('full', 'both');
      },
    );
    assert.equal(await faultOf(counters.check(asked(damaged, set))), 'corrupt');
    assert.equal((await counters.check(asked(damaged, set))).limits[0]?.remaining, 9);
  });

  it('B35: whose limits have changed keeps the former log until the new one can be counted', async () => {
    const key = freshKey();
    await counters.check(asked(key, window('sliding_log')));
    await assertRefused(() => counters.check(asked(key, window('fixed_window'))));
    assert.equal(await server.client.llen(`${stateKey(key)}:sliding-log`), 1);
  });

  it('B35: reservations, leases, announcements and checkpoints are refused, too', async () => {
    const set = window('fixed_window');
    const key = freshKey();
    const token = `${freshKey()}:${WINDOW_MS}`;
    const lease = `${freshKey()}:${WINDOW_MS}`;
    await counters.check(asked(key, set, { reservation: token }));
    await counters.check(asked(key, PLACES, { holder: lease }));
    const { name, identity } = quotaOf(10, 'day');
    const nowMs = clock.nowMs();
    const period = { startMs: nowMs, endMs: nowMs + WINDOW_MS, observedMs: nowMs };
    const checkpoint = { key: freshKey(), name, identity, ...period, used: 5 };
    await assertRefused(
      () => counters.check(asked(freshKey(), set, { reservation: `${freshKey()}:${WINDOW_MS}` })),
      () => counters.settle({ key, set, token, cost: 5 }),
      () => counters.settle({ key, set, token, cost: 0 }),
      () => counters.renewLease(key, lease),
      () => counters.announce(key, 1),
      () => counters.restore([checkpoint]),
    );
  });

  it('B35: a reset and a release free memory, and are done', async () => {
    const set = window('sliding_log');
    const key = freshKey();
    const lease = `${freshKey()}:${WINDOW_MS}`;
    await counters.check(asked(key, set));
    await counters.check(asked(key, PLACES, { holder: lease }));
    await counters.announce(key, 1);
    await server.client.config('SET', 'maxmemory', '1');
    await counters.releaseLease(key, lease);
    await counters.reset(key);
    await server.client.config('SET', 'maxmemory', '0');
    assert.deepEqual(await counters.listLeases(key), []);
    assert.equal((await counters.check(asked(key, set, { peek: true }))).limits[0]?.remaining, 10);
  });
});
