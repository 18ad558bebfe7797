import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BrumeError } from '../../../../src/errors/catalogue.ts';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { type CounterCheck, CountersError } from '../../../../src/limiter/counters.ts';
import { slotOf } from '../../../../src/stores/redis/cluster/slot.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../../src/stores/redis/script-keys.ts';
import { freshKey, setOf, silentLog } from '../../../support/counter-engines.ts';
import { type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';
import { wholeCluster } from '../../../support/redis-cluster-counters.ts';

const DAY_MS = 86_400_000;

describe('an atomic batch over several masters', () => {
  let cluster: RedisCluster;
  let counters: RedisCounters;
  before(async () => {
    cluster = await startRedisCluster();
    counters = connect(500);
    await wholeCluster(counters);
  });
  after(async () => {
    await counters?.close();
    await cluster?.stop();
  });

  const connect = (timeoutMs: number) =>
    RedisCounters.connect({ url: cluster.url, timeoutMs, clock: systemClock, log: silentLog });
  const setOfLimit = (limit: number) => setOf({ algorithm: 'fixed_window', limit, windowMs: 24 * DAY_MS });
  const remaining = async ({ key, set }: Pick<CounterCheck, 'key' | 'set'>) =>
    (await counters.check({ key, set, cost: 0, peek: true })).limits[0]?.remaining;
  const reservationsLeft = async (key: string) => {
    const master = await cluster.masterOf(slotOf(stateKey(key)));
    return master.client.hlen(`${stateKey(key)}:reservations`);
  };

  /** One key for each master. */
  async function spreadKeys(): Promise<string[]> {
    const keys = new Map<string, string>();
    while (keys.size < cluster.masters.length) {
      const key = freshKey();
      keys.set((await cluster.masterOf(slotOf(stateKey(key)))).name, key);
    }
    return [...keys.values()];
  }

  it('consumes all of it, and keeps no reservation', async () => {
    const set = setOfLimit(10);
    const checks = (await spreadKeys()).map((key, index) => ({ key, set, cost: index + 1, peek: false }));
    const outcomes = await counters.checkAtomically(checks);
    assert.deepEqual(
      outcomes.map(({ admitted }) => admitted),
      [true, true, true],
    );
    assert.deepEqual(
      outcomes.map(({ limits }) => limits[0]?.remaining),
      [9, 8, 7],
    );
    assert.deepEqual(
      outcomes.map(({ token }) => token),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(await Promise.all(checks.map(remaining)), [9, 8, 7]);
    for (const { key } of checks) assert.equal(await reservationsLeft(key), 0);
  });

  it('consumes nothing where one is denied, and says how the others stand', async () => {
    const set = setOfLimit(10);
    const [a = '', b = '', c = ''] = await spreadKeys();
    const check = (key: string, cost: number) => ({ key, set, cost, peek: false });
    const outcomes = await counters.checkAtomically([check(a, 4), check(b, 11), check(c, 0), check(a, 3)]);
    assert.deepEqual(
      outcomes.map(({ admitted, isHeldBack, limits }) => [admitted, isHeldBack, limits[0]?.remaining]),
      [
        [false, true, 10],
        [false, false, 10],
        [false, true, 10],
        [false, true, 10],
      ],
    );
    assert.equal(await remaining({ key: a, set }), 10);
    assert.equal(await reservationsLeft(a), 0);
  });

  it('is denied by a block, and passes by an exemption, as one on a single server', async () => {
    const set = setOfLimit(10);
    const [a = '', b = ''] = await spreadKeys();
    const exempt = { key: b, set: { limits: [] }, cost: 1, peek: false, ruling: 'exempt' } as const;
    const [first] = await counters.checkAtomically([{ key: a, set, cost: 1, peek: false }, exempt]);
    assert.equal(first?.limits[0]?.remaining, 9);
    const [second, third] = await counters.checkAtomically([
      { key: a, set, cost: 1, peek: false },
      { ...exempt, ruling: 'blocked' },
    ]);
    assert.deepEqual([second?.isHeldBack, third?.isHeldBack, third?.admitted], [true, false, false]);
    assert.equal(await remaining({ key: a, set }), 9);
  });

  it('under a request id is repeated if it was admitted, and judged anew if it was not', async () => {
    const set = setOfLimit(2);
    const [a = '', b = ''] = await spreadKeys();
    const [idA, idB] = [freshKey(), freshKey()];
    const batch = (costOfB: number) => [
      { key: a, set, cost: 1, peek: false, requestKey: idA },
      { key: b, set, cost: costOfB, peek: false, requestKey: idB },
    ];
    assert.equal((await counters.checkAtomically(batch(3)))[0]?.admitted, false);
    const admitted = await counters.checkAtomically(batch(1));
    assert.deepEqual(
      admitted.map(({ admitted: is, isRepeated }) => [is, isRepeated]),
      [
        [true, false],
        [true, false],
      ],
    );
    const repeated = await counters.checkAtomically(batch(1));
    assert.deepEqual(
      repeated.map(({ admitted: is, isRepeated }) => [is, isRepeated]),
      [
        [true, true],
        [true, true],
      ],
    );
    assert.deepEqual(
      repeated.map(({ limits }) => limits),
      admitted.map(({ limits }) => limits),
    );
    // Alone, too, as it would be on a single server.
    assert.equal(
      (await counters.check({ key: a, set, cost: 1, peek: false, requestKey: idA })).isRepeated,
      true,
    );
    assert.equal(await remaining({ key: a, set }), 1);
    await assert.rejects(
      counters.checkAtomically(batch(2)),
      (error) => error instanceof BrumeError && error.code === 'request_id_reused',
    );
    assert.equal(await remaining({ key: a, set }), 1);
  });

  it('never admits more than any of its limits, under 20 callers at once', async () => {
    const set = setOfLimit(50);
    const keys = await spreadKeys();
    let admittedCount = 0;
    const caller = async () => {
      for (let round = 0; round < 10; round++) {
        const outcomes = await counters.checkAtomically(
          keys.map((key) => ({ key, set, cost: 1, peek: false })),
        );
        if (outcomes.every(({ admitted }) => admitted)) admittedCount++;
        const [first] = keys as [string];
        const used = 50 - Number(await remaining({ key: first, set }));
        assert.ok(used >= 0 && used <= 50, `${used} used`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, caller));
    assert.ok(admittedCount <= 50, `${admittedCount} admitted`);
    for (const key of keys) {
      assert.equal(await remaining({ key, set }), 50 - admittedCount, 'used is what was admitted');
      assert.equal(await reservationsLeft(key), 0);
    }
    // Nobody else comes now: nothing is held back for long.
    while (
      (await counters.checkAtomically(keys.map((key) => ({ key, set, cost: 1, peek: false }))))[0]?.admitted
    )
      admittedCount++;
    assert.equal(admittedCount, 50);
  });

  it('that is given up half way takes nothing once its reservations are dropped', async () => {
    const set = setOfLimit(10);
    const keys = await spreadKeys();
    const hasty = connect(150);
    await wholeCluster(hasty);
    const [, second = ''] = keys;
    const silent = await cluster.masterOf(slotOf(stateKey(second)));
    silent.hang();
    const batch = hasty.checkAtomically(keys.map((key) => ({ key, set, cost: 4, peek: false })));
    await assert.rejects(batch, (error) => error instanceof CountersError);
    silent.resume();
    const isWhole = async () =>
      (await Promise.all(keys.map((key) => remaining({ key, set })))).every((left) => left === 10);
    while (!(await isWhole().catch(() => false))) await delay(20);
    for (const key of keys) assert.equal(await reservationsLeft(key), 0);
    await hasty.close();
  });
});
