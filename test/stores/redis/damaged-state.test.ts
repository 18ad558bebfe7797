import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import type { CounterOutcome, CountersFault } from '../../../src/limiter/counters.ts';
import { CountersError } from '../../../src/limiter/counters.ts';
import { newToken } from '../../../src/limiter/sealed-id.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../src/stores/redis/script-keys.ts';
import { freshKey, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { placesOf } from '../../support/local-house.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const ONE_MINUTE = setOf({ algorithm: 'fixed_window', limit: 100, windowMs: 60_000 });

let server: RedisServer;
let counters: RedisCounters;

function check(key: string, set = ONE_MINUTE): Promise<CounterOutcome> {
  return counters.check({ key, set, cost: 1, peek: false });
}

async function faultOf(answer: Promise<CounterOutcome>): Promise<CountersFault> {
  const error = await answer.then(
    () => assert.fail('the check was answered'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CountersError, String(error));
  return error.fault;
}

before(async () => {
  server = await startRedis();
});
after(() => server?.stop());
beforeEach(async () => {
  await server.client.flushall();
  counters = RedisCounters.connect({ url: server.url, timeoutMs: 2000, clock: systemClock, log: silentLog });
  await ready(counters);
});
afterEach(() => counters.close());

describe('state in Redis that is damaged or not ours', () => {
  for (const damage of [
    'hello',
    '',
    '9e999',
    '1 ',
    '1 fixed-window:f:60000:x:1',
    '2 fixed-window:f:60000:0:1',
  ]) {
    it(`B15: a state of ${JSON.stringify(damage)} gives one defined fault, and then counts right`, async () => {
      const key = freshKey();
      await check(key);
      await server.client.set(stateKey(key), damage);
      if (damage === '1 ') {
        assert.equal((await check(key)).limits[0]?.remaining, 99, 'an empty state is a fresh one');
        return;
      }
      assert.equal(await faultOf(check(key)), 'corrupt');
      assert.equal((await check(key)).limits[0]?.remaining, 99);
      assert.equal((await check(key)).limits[0]?.remaining, 98);
    });
  }

  for (const [title, name, state] of [
    ['a level beyond all rules', 'gcra', (now: number) => `1 gcra:g:60000:9007199254740991:${now}:1`],
    ['a time that no clock will show', 'gcra', () => '1 gcra:g:60000:60000:9007199254740991:1'],
    ['a window that no clock will show', 'fixed-window', () => '1 fixed-window:f:60000:9007199254700000:1'],
    [
      'weights beyond all rules',
      'sliding-window',
      (now: number) => `1 sliding-window:w:60000:${now - (now % 60_000)}:9007199254740991:1`,
    ],
  ] as const) {
    it(`B15: well-formed damage, ${title}, gives one defined fault, and then counts right`, async () => {
      const algorithm = name.replace('-', '_') as 'gcra' | 'fixed_window' | 'sliding_window';
      const set = setOf({ algorithm, limit: 3, windowMs: 60_000 });
      const key = freshKey();
      const innocent = freshKey();
      await server.client.set(stateKey(key), state(Date.now()));
      const [damaged, sound] = await Promise.allSettled([check(key, set), check(innocent, set)]);
      assert.deepEqual([damaged.status, sound.status], ['rejected', 'fulfilled']);
      assert.equal((await check(key, set)).limits[0]?.remaining, 2);
      const ttlMs = await server.client.pttl(stateKey(key));
      assert.ok(ttlMs > 0 && ttlMs <= 120_000, String(ttlMs));
    });
  }

  it('B15: a sliding log whose sum is less than its entries is damaged', async () => {
    const key = freshKey();
    const set = setOf({ algorithm: 'sliding_log', limit: 5, windowMs: 60_000 });
    for (let entry = 0; entry < 5; entry++) await check(key, set);
    const state = (await server.client.get(stateKey(key))) ?? '';
    await server.client.set(stateKey(key), state.replace(':60000:5:5:', ':60000:0:5:'));
    assert.equal(await faultOf(check(key, set)), 'corrupt');
    assert.equal((await check(key, set)).limits[0]?.remaining, 4);
  });

  for (const damage of ['text in the list', 'a missing entry', 'another type']) {
    it(`B15: a sliding log with ${damage} gives one defined fault, and then counts right`, async () => {
      const key = freshKey();
      const set = setOf({ algorithm: 'sliding_log', limit: 2, windowMs: 60_000 });
      await check(key, set);
      await check(key, set);
      const list = `${stateKey(key)}:sliding-log`;
      assert.equal(await server.client.llen(list), 2);
      if (damage === 'text in the list') await server.client.lset(list, 0, 'hello');
      if (damage === 'a missing entry') await server.client.lpop(list);
      if (damage === 'another type') await server.client.set(list, 'hello');
      assert.equal(await faultOf(check(key, set)), 'corrupt');
      assert.equal((await check(key, set)).limits[0]?.remaining, 1);
    });
  }

  for (const [type, make] of [
    ['a list', (key: string) => server.client.rpush(key, '1')],
    ['a hash', (key: string) => server.client.hset(key, 'a', '1')],
    ['a sorted set', (key: string) => server.client.zadd(key, 1, 'a')],
  ] as const) {
    it(`B15: a state that is ${type} gives one defined fault, and then counts right`, async () => {
      const [foreign, sound, newcomer] = [freshKey(), freshKey(), freshKey()];
      await check(sound);
      await make(stateKey(foreign));
      const answers = await Promise.allSettled([check(newcomer), check(foreign), check(sound)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.equal((await check(foreign)).limits[0]?.remaining, 99);
      assert.equal((await check(newcomer)).limits[0]?.remaining, 98);
    });

    it(`B15: a state that is ${type} is told to who merely looks, or checks several at once`, async () => {
      const asked = (peek: boolean) => {
        const key = freshKey();
        return { key, set: ONE_MINUTE, cost: 1, peek };
      };
      const [peek, several, other] = [asked(true), asked(false), asked(false)];
      await make(stateKey(peek.key));
      await make(stateKey(several.key));
      assert.equal(await faultOf(counters.check(peek)), 'corrupt');
      await assert.rejects(counters.checkAtomically([other, several]), { fault: 'corrupt' });
      const after = await counters.checkAtomically([other, several]);
      assert.deepEqual(
        after.map(({ limits }) => limits[0]?.remaining),
        [99, 99],
      );
    });

    it(`B15: what is merged into a state that is ${type} counts on nothing`, async () => {
      const key = freshKey();
      await make(stateKey(key));
      await counters.merge([{ key, set: ONE_MINUTE, counted: new Map() }]);
      assert.equal((await check(key)).limits[0]?.remaining, 99);
    });
  }

  it('B15: leases among which stands what is none give one defined fault, and are kept', async () => {
    const key = freshKey();
    const acquire = () => {
      const holder = `${freshKey()}:60000`;
      return counters.check({ key, set: placesOf(3, 60_000), cost: 1, peek: false, holder });
    };
    await acquire();
    const held = await counters.listLeases(key);
    await server.client.zadd(`${stateKey(key)}:leases`, Date.now() + 30_000, 'hello');
    assert.equal(await faultOf(acquire()), 'corrupt');
    assert.deepEqual(await counters.listLeases(key), held);
    assert.equal((await acquire()).limits[0]?.remaining, 1);
  });

  it('B15: leases of another type are none, to who renews, releases or lists them', async () => {
    const key = freshKey();
    const holder = `${freshKey()}:60000`;
    const leases = `${stateKey(key)}:leases`;
    await server.client.set(leases, 'hello');
    assert.equal(await counters.renewLease(key, holder), undefined);
    await counters.releaseLease(key, holder);
    assert.deepEqual(await counters.listLeases(key), []);
    assert.equal(await server.client.get(leases), 'hello', 'it is left to the next check, which tells');
  });

  for (const [damage, make] of [
    ['text', (key: string) => server.client.hset(key, 'a', 'hello')],
    ['another type', (key: string) => server.client.set(key, 'hello')],
  ] as const) {
    it(`B15: reservations that are ${damage} give one defined fault, and then are made anew`, async () => {
      const key = freshKey();
      const reserve = () =>
        counters.check({ key, set: ONE_MINUTE, cost: 4, peek: false, reservation: newToken(60_000) });
      await reserve();
      await server.client.del(`${stateKey(key)}:reservations`);
      await make(`${stateKey(key)}:reservations`);
      assert.equal(await faultOf(reserve()), 'corrupt');
      assert.equal((await reserve()).limits[0]?.remaining, 96);
    });
  }

  it('B15: a damaged identifier does not touch the others of its batch', async () => {
    const [damaged, sound] = [freshKey(), freshKey()];
    await server.client.set(stateKey(damaged), 'hello');
    const answers = await Promise.allSettled([check(sound), check(damaged), check(sound)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal((await check(sound)).limits[0]?.remaining, 97);
  });
});
