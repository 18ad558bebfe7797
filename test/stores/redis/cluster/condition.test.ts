import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { CountersError } from '../../../../src/limiter/counters.ts';
import type { CountersCondition } from '../../../../src/limiter/counters-condition.ts';
import { probeKeyOf, wholeCondition } from '../../../../src/stores/redis/cluster/cluster-condition.ts';
import { slotOf } from '../../../../src/stores/redis/cluster/slot.ts';
import { SlotMap } from '../../../../src/stores/redis/cluster/slot-map.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../../src/stores/redis/script-keys.ts';
import { freshKey, setOf, silentLog } from '../../../support/counter-engines.ts';
import { type ClusterServer, type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';
import { wholeCluster } from '../../../support/redis-cluster-counters.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 100, windowMs: 3_600_000 });

describe('the condition of a cluster', () => {
  let cluster: RedisCluster;
  let counters: RedisCounters;

  before(async () => {
    cluster = await startRedisCluster({ nodeTimeoutMs: 60_000 });
    const terms = { timeoutMs: 200, clock: systemClock, log: silentLog };
    counters = RedisCounters.connect({ url: cluster.url, ...terms });
    await wholeCluster(counters);
  });
  after(async () => {
    await counters?.close();
    await cluster?.stop();
  });
  afterEach(async () => {
    for (const { client } of cluster.masters) {
      await client.config('SET', 'maxmemory', '0');
      await client.client('UNPAUSE');
    }
    await shows('available', undefined, 0);
  });

  /** Until it does; so many shards don't count then. */
  async function shows(state: CountersCondition['state'], fault: string | undefined, shards: number) {
    for (;;) {
      const condition = await counters.condition();
      const isSo = condition.state === state && condition.fault === fault;
      if (isSo && (condition.slotsAway?.length ?? 0) === shards) return;
    }
  }

  async function keyOf(server: ClusterServer): Promise<string> {
    for (;;) {
      const key = freshKey();
      if ((await cluster.masterOf(slotOf(stateKey(key)))) === server) return key;
    }
  }

  const faultOf = (key: string) =>
    counters.check({ key, set: SET, cost: 1, peek: false }).then(
      () => 'none',
      (error: unknown) => (error instanceof CountersError ? error.fault : error),
    );

  it('is told by shard: one that is full is away in part, with its slots; all of them are full', async () => {
    const [one] = cluster.masters as [ClusterServer];
    await one.client.config('SET', 'maxmemory', '1');
    await shows('partly_available', 'oom', 1);
    while (!(await counters.ping()));
    assert.equal(await counters.ping(await keyOf(one)), false);
    for (const { client } of cluster.masters) await client.config('SET', 'maxmemory', '1');
    await shows('full', 'oom', 3);
    assert.equal(await counters.ping(), false);
  });

  it('where a shard holds its writes its circuit stays open, and the others count', async () => {
    const [paused, sound] = cluster.masters as [ClusterServer, ClusterServer];
    const [held, counted] = [await keyOf(paused), await keyOf(sound)];
    const received = async () =>
      Number(/total_connections_received:(\d+)/.exec(await paused.client.info('stats'))?.[1]);
    const before = await received();
    await paused.client.client('PAUSE', 600_000, 'WRITE');
    const ends = { none: 0, timeout: 0, unavailable: 0 };
    while ((await received()) < before + 3) ends[(await faultOf(held)) as keyof typeof ends]++;
    while ((await faultOf(counted)) !== 'none');
    assert.equal(ends.none, 0);
    assert.ok(ends.timeout <= 4, `${ends.timeout} checks waited`);
    assert.ok(ends.unavailable > ends.timeout);
    await shows('partly_available', 'no_answer', 1);
    await paused.client.client('UNPAUSE');
    while ((await faultOf(held)) !== 'none');
  });
});

describe('the condition of several shards', () => {
  const available = { slots: '0-99', state: 'available' } as const;
  const full = { slots: '100-199', state: 'full', fault: 'oom' } as const;
  const away = { slots: '200-16383', state: 'unavailable', fault: 'refused' } as const;

  it('is the common one, or that they have none', () => {
    assert.deepEqual(wholeCondition([available]), { state: 'available' });
    assert.deepEqual(wholeCondition([full]), { state: 'full', fault: 'oom', slotsAway: ['100-199'] });
    const slotsAway = ['100-199', '200-16383'];
    assert.deepEqual(wholeCondition([full, away]), { state: 'unavailable', fault: 'oom', slotsAway });
    const partly = { state: 'partly_available', fault: 'oom', slotsAway };
    assert.deepEqual(wholeCondition([available, full, away]), partly);
    assert.deepEqual(wholeCondition([]), { state: 'unavailable' });
  });

  it('is asked under a tag whose slot the master has', () => {
    const master = { host: '127.0.0.1', port: 7000 };
    const map = new SlotMap([{ first: 0, last: 8191, master, replicas: [] }]);
    assert.ok(slotOf(probeKeyOf(map, '127.0.0.1:7000')) <= 8191);
    assert.equal(probeKeyOf(map, '127.0.0.1:7001'), '{brume}:probe');
  });
});
