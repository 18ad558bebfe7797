import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { LocalCounters } from '../../../../src/stores/local/local-counters.ts';
import { slotOf } from '../../../../src/stores/redis/cluster/slot.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../../src/stores/redis/script-keys.ts';
import { freshKey, setOf, silentLog } from '../../../support/counter-engines.ts';
import { ManualTime } from '../../../support/manual-time.ts';
import { type ClusterServer, type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';
import { wholeCluster } from '../../../support/redis-cluster-counters.ts';

const ROUND_MS = 250;
const SET = setOf({ algorithm: 'sliding_log', limit: 100, windowMs: 3_600_000 });

describe('a node that judges by itself for shards that are away', () => {
  let cluster: RedisCluster;
  let counters: RedisCounters;
  let node: LocalCounters;
  /** Rounds of merging come when it is told to go on. */
  const time = new ManualTime();

  before(async () => {
    // Nobody but Brume notices what happens to a master.
    cluster = await startRedisCluster({ nodeTimeoutMs: 60_000 });
    counters = RedisCounters.connect({
      url: cluster.url,
      timeoutMs: 200,
      clock: systemClock,
      log: silentLog,
    });
    await wholeCluster(counters);
    const options = { clock: systemClock, timers: time, log: silentLog, liveNodes: () => 1 };
    node = new LocalCounters({ counters, ...options, identifiersMax: 1000 });
  });
  after(async () => {
    await node?.close();
    await cluster?.stop();
  });

  const check = (key: string) => node.check({ key, set: SET, cost: 1, peek: false, fallback: 'local' });

  async function keysOf(server: ClusterServer, count: number): Promise<string[]> {
    const keys: string[] = [];
    while (keys.length < count) {
      const key = freshKey();
      if ((await cluster.masterOf(slotOf(stateKey(key)))) === server) keys.push(key);
    }
    return keys;
  }

  /** What a check that timed out admits here is never owed, so that the way there owes nothing. */
  async function untilAway(key: string): Promise<void> {
    while ((await check(key)).fault?.fault !== 'unavailable') await delay(20);
  }

  /** A master that comes back takes no writes for its first 2 s. */
  async function untilMerged(left: number): Promise<void> {
    for (let rounds = 0; node.stats().identifiers > left; rounds++) {
      assert.ok(rounds < 1000, `${node.stats().identifiers} are still owed`);
      await time.advance(ROUND_MS);
      await delay(20);
    }
  }

  it('counts in a shard again as soon as that one is back, whatever the others do', async () => {
    const [gone, silent, sound] = cluster.masters as [ClusterServer, ClusterServer, ClusterServer];
    // More than go into one merge, and owed for longer than the rest.
    const lost = await keysOf(gone, 70);
    const [kept, ...others] = (await keysOf(silent, 5)) as [string, ...string[]];
    const [mark, newcomer] = (await keysOf(silent, 2)) as [string, string];
    const [neighbour] = (await keysOf(sound, 1)) as [string];
    await gone.kill();
    await untilAway(lost[0] as string);
    for (const key of lost) assert.equal((await check(key)).fault?.fault, 'unavailable');
    silent.hang();
    await untilAway(mark);
    for (const key of [kept, ...others]) {
      assert.equal((await check(key)).fault?.fault, 'unavailable');
      await check(key);
    }
    assert.equal((await check(neighbour)).fault, undefined);
    assert.equal(node.stats().identifiers, lost.length + 6);

    silent.resume();
    while (((await counters.condition()).slotsAway ?? []).length > 1) await delay(5);
    assert.equal((await check(newcomer)).fault, undefined);
    // That another shard fails is no reason not to ask this one.
    assert.equal((await check(lost[0] as string)).fault?.fault, 'unavailable');
    const { fault, limits } = await check(kept);
    assert.deepEqual([fault, limits[0]?.remaining], [undefined, 97]);

    await untilMerged(lost.length);
    for (const key of others) {
      const standing = await counters.check({ key, set: SET, cost: 1, peek: true });
      assert.equal(standing.limits[0]?.remaining, 98);
    }

    await gone.start();
    await untilMerged(0);
    assert.equal((await check(lost[1] as string)).limits[0]?.remaining, 98);
    assert.equal(node.stats().lost, 0);
  });
});
