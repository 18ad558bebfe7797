import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { CountersError } from '../../../../src/limiter/counters.ts';
import { slotOf } from '../../../../src/stores/redis/cluster/slot.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { tagOf } from '../../../../src/stores/redis/script-keys.ts';
import { freshKey, setOf, silentLog } from '../../../support/counter-engines.ts';
import { type ClusterServer, type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';
import { wholeCluster } from '../../../support/redis-cluster-counters.ts';

const HOUR_MS = 3_600_000;
const HASTY_MS = 200;

describe('B33: three masters', () => {
  let cluster: RedisCluster;
  let counters: RedisCounters;
  before(async () => {
    cluster = await startRedisCluster();
    counters = RedisCounters.connect({
      url: cluster.url,
      timeoutMs: 2000,
      clock: systemClock,
      log: silentLog,
    });
    await wholeCluster(counters);
  });
  after(async () => {
    await counters?.close();
    await cluster?.stop();
  });

  it('100 checks at once of distinct identifiers are 100 answers', async () => {
    const set = setOf({ algorithm: 'fixed_window', limit: 5, windowMs: HOUR_MS });
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => counters.check({ key: freshKey(), set, cost: 1, peek: false })),
    );
    assert.equal(outcomes.filter(({ admitted }) => admitted).length, 100);
    const held = await Promise.all(cluster.masters.map(({ client }) => client.dbsize()));
    for (const count of held) assert.ok(count > 10, `spread over all masters: ${held}`);
  });

  it('while a busy slot is moved, each check is counted where its answer says so, and nowhere twice', async () => {
    const set = setOf(
      { algorithm: 'gcra', limit: 1_000_000, windowMs: 366 * 24 * HOUR_MS },
      { algorithm: 'fixed_window', limit: 1_000_000, windowMs: 24 * HOUR_MS },
    );
    const [tag, keys] = keysOfOneTag(60);
    const slot = slotOf(tag);
    const from = await cluster.masterOf(slot);
    const to = cluster.masters.find((master) => master !== from) as ClusterServer;
    const admitted = new Map<string, number>();
    const failures: unknown[] = [];
    const ask = async (key: string) => {
      try {
        const outcome = await counters.check({ key, set, cost: 1, peek: false });
        if (outcome.admitted) admitted.set(key, (admitted.get(key) ?? 0) + 1);
      } catch (error) {
        failures.push(error);
      }
    };
    const turn = () => Promise.all(keys.map(ask));
    // Half of them are there before; the others come while the slot is on its way.
    await Promise.all(keys.slice(0, 30).map(ask));
    await cluster.moveSlot(slot, to, {
      keysAtOnce: 5,
      onOpen: async () => void (await turn()),
      onKeys: async () => void (await turn()),
    });
    await turn();
    assert.deepEqual(failures, []);
    const there = await Promise.all(keys.map((key) => to.client.exists(`${tag}${key}`)));
    assert.deepEqual(new Set(there), new Set([1]));
    const used = await Promise.all(
      keys.map(async (key) => {
        const { limits } = await counters.check({ key, set, cost: 0, peek: true });
        return [key, 1_000_000 - (limits[1]?.remaining ?? 0)] as const;
      }),
    );
    assert.deepEqual(new Map(used), admitted);
    const { redirections } = counters.stats().cluster ?? assert.fail();
    assert.ok(
      redirections.ask > 0 && redirections.tryagain > 0 && redirections.moved > 0,
      JSON.stringify(redirections),
    );
  });

  it('what needs several keys in a slot that is on its way is refused in time, and not half done', async () => {
    const set = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 24 * HOUR_MS });
    const [tag, [key = '']] = keysOfOneTag(1);
    const slot = slotOf(tag);
    const from = await cluster.masterOf(slot);
    const to = cluster.masters.find((master) => master !== from) as ClusterServer;
    const check = { key, set, cost: 1, peek: false } as const;
    const hasty = RedisCounters.connect({
      url: cluster.url,
      timeoutMs: HASTY_MS,
      clock: systemClock,
      log: silentLog,
    });
    await wholeCluster(hasty);
    await hasty.check({ ...check, reservation: 'AAAAAAAAAAAAAAAA:60000' });
    await cluster.moveSlot(slot, to, {
      onOpen: async () => {
        // The reservation goes first, and the state that knows of it is still here.
        await from.client.call(
          'MIGRATE',
          '127.0.0.1',
          to.port,
          '',
          0,
          5000,
          'KEYS',
          `${tag}${key}:reservations`,
        );
        // On a busy machine the last try may have no answer.
        const refused = (error: unknown) => error instanceof CountersError && error.fault !== 'corrupt';
        const startedMs = performance.now();
        await assert.rejects(hasty.check(check), refused);
        await assert.rejects(hasty.check({ ...check, requestKey: freshKey() }), refused);
        await assert.rejects(hasty.settle({ key, set, token: 'AAAAAAAAAAAAAAAA:60000', cost: 3 }), refused);
        await assert.rejects(hasty.reset(key), refused);
        assert.ok(performance.now() - startedMs < 4 * (HASTY_MS + 250), 'each within its time');
      },
    });
    const after = await hasty.settle({ key, set, token: 'AAAAAAAAAAAAAAAA:60000', cost: 3 });
    assert.deepEqual(after, { reserved: 1, actual: 3, isLate: false });
    const { limits } = await hasty.check({ ...check, requestKey: freshKey() });
    assert.equal(limits[0]?.remaining, 6);
    await hasty.close();
  });
});

/** Keys of identifiers that share a partition tag. */
function keysOfOneTag(count: number): [string, string[]] {
  const first = freshKey();
  // The first ten bits name the tag: two characters, of the second only the upper four bits.
  const keys = [
    first,
    ...Array.from({ length: count - 1 }, () => `${first.slice(0, 2)}${freshKey().slice(2)}`),
  ];
  return [tagOf(first), keys];
}
