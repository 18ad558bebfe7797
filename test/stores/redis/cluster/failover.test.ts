import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { CountersError } from '../../../../src/limiter/counters.ts';
import { slotOf } from '../../../../src/stores/redis/cluster/slot.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../../src/stores/redis/script-keys.ts';
import { freshKey, quotaOf, setOf, silentLog } from '../../../support/counter-engines.ts';
import { type ClusterServer, type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';
import { wholeCluster } from '../../../support/redis-cluster-counters.ts';

/** Also for a planned failover on a busy machine, in which the master holds calls back. */
const TIMEOUT_MS = 1000;

describe('a shard of a cluster that fails', () => {
  let cluster: RedisCluster;
  let counters: RedisCounters;
  before(async () => {
    cluster = await startRedisCluster({
      hasReplicas: true,
      nodeTimeoutMs: 1000,
      // Its other slots go on being served while a master is away.
      args: ['--cluster-require-full-coverage', 'no', '--repl-diskless-sync-delay', '0'],
    });
    counters = RedisCounters.connect({
      url: cluster.url,
      timeoutMs: TIMEOUT_MS,
      clock: systemClock,
      log: silentLog,
    });
    await wholeCluster(counters);
  });
  after(async () => {
    await counters?.close();
    await cluster?.stop();
  });

  const set = setOf({ algorithm: 'fixed_window', limit: 1000, windowMs: 24 * 86_400_000 });
  const check = (key: string) => counters.check({ key, set, cost: 1, peek: false });

  async function keysOf(server: ClusterServer, isTheirs: boolean): Promise<string[]> {
    const keys: string[] = [];
    while (keys.length < 5) {
      const key = freshKey();
      if (((await cluster.masterOf(slotOf(stateKey(key)))) === server) === isTheirs) keys.push(key);
    }
    return keys;
  }

  it('over to its replica by plan costs nobody an answer, and no count', async () => {
    const [master] = cluster.masters as [ClusterServer];
    const [replica] = cluster.replicas as [ClusterServer];
    const keys = await keysOf(master, true);
    let isOver = false;
    const asked = async (key: string) => {
      let admittedCount = 0;
      while (!isOver) {
        if ((await check(key)).admitted) admittedCount++;
        await delay(2);
      }
      return admittedCount;
    };
    const traffic = Promise.all(keys.map(asked));
    try {
      await delay(100);
      await cluster.failover(replica);
      await cluster.settled();
      await delay(100);
    } finally {
      isOver = true;
    }
    const admitted = await traffic;
    const outcomes = await Promise.all(keys.map((key) => counters.check({ key, set, cost: 0, peek: true })));
    assert.deepEqual(
      outcomes.map(({ limits }) => 1000 - Number(limits[0]?.remaining)),
      admitted,
    );
    await cluster.failover(master);
    await cluster.settled();
    await wholeCluster(counters);
  });

  it('by kill -9 costs its own slots only, until its replica has them; quotas are told to be restored', async () => {
    const [, victim] = cluster.masters as [ClusterServer, ClusterServer];
    const [theirs, others] = [await keysOf(victim, true), await keysOf(victim, false)];
    for (const key of [...theirs, ...others]) await check(key);
    const mark = await counters.epoch.begin();
    assert.ok(await counters.epoch.finish(mark));
    assert.equal(await counters.epoch.look(), mark);
    const connects: number[] = [];
    counters.epoch.onConnect(() => connects.push(performance.now()));
    await delay(200); // the replica has it all

    await victim.kill();
    let othersFailed = 0;
    let theirsFailed = 0;
    let isBack = false;
    let slowestMs = 0;
    const endMs = performance.now() + 15_000;
    while (!isBack && performance.now() < endMs) {
      const outcomes = await Promise.all(
        [...theirs, ...others].map(async (key) => {
          const startedMs = performance.now();
          const isAnswered = await check(key).then(
            () => true,
            (error) => {
              assert.ok(error instanceof CountersError);
              return false;
            },
          );
          slowestMs = Math.max(slowestMs, performance.now() - startedMs);
          return isAnswered;
        }),
      );
      theirsFailed += outcomes.slice(0, 5).filter((isAnswered) => !isAnswered).length;
      othersFailed += outcomes.slice(5).filter((isAnswered) => !isAnswered).length;
      isBack = outcomes.slice(0, 5).every((isAnswered) => isAnswered);
      if (theirsFailed > 0 && !isBack) {
        const { cluster: stats, isConnected } = counters.stats();
        assert.ok(!isConnected || stats?.shardsAway === 0);
      }
      await delay(20);
    }
    assert.ok(isBack, 'the replica serves');
    assert.ok(theirsFailed > 0);
    assert.equal(othersFailed, 0, 'nobody else was degraded');
    assert.ok(slowestMs < TIMEOUT_MS + 250, `${slowestMs} ms`);
    await wholeCluster(counters);
    assert.ok(connects.length > 0, 'whoever restores quotas was told to look');
    // The counts are those of the replica; what was lost with the master is to be restored.
    assert.equal(await counters.epoch.look(), undefined);
    const again = await counters.epoch.begin();
    assert.ok(await counters.epoch.finish(again));
    assert.notEqual(again, mark);
    const { limits } = await counters.check({ key: theirs[0] as string, set, cost: 0, peek: true });
    assert.ok((limits[0]?.remaining ?? 0) < 1000, 'what was counted before is known');
    await victim.start();
    await cluster.settled();
  });

  it('by hanging costs its own slots only; when it wakes as a replica, nothing was counted there', async () => {
    const victim = await cluster.masterOf(0);
    const [theirs, others] = [await keysOf(victim, true), await keysOf(victim, false)];
    for (const key of [...theirs, ...others]) await check(key);
    await delay(200);
    victim.hang();
    const failures = { theirs: 0, others: 0 };
    const endMs = performance.now() + 20_000;
    const askAll = async (keys: readonly string[], whose: 'theirs' | 'others') => {
      const answers = await Promise.allSettled(keys.map(check));
      const failed = answers.filter(({ status }) => status === 'rejected').length;
      failures[whose] += failed;
      return failed === 0;
    };
    let isBack = false;
    while (!isBack && performance.now() < endMs) {
      const [first] = await Promise.all([askAll(theirs, 'theirs'), askAll(others, 'others')]);
      isBack = first && failures.theirs > 0;
      await delay(20);
    }
    assert.ok(isBack, 'the replica serves');
    assert.equal(failures.others, 0, 'nobody else was degraded');
    const used = async (key: string) =>
      1000 - Number((await counters.check({ key, set, cost: 0, peek: true })).limits[0]?.remaining);
    const usedBefore = await used(theirs[0] as string);
    victim.resume();
    await cluster.settled();
    for (let count = 0; count < 20; count++) assert.ok(await askAll([...theirs, ...others], 'others'));
    assert.equal(await used(theirs[0] as string), usedBefore + 20);
  });

  it('leaves the checkpoints of the others to be restored, and its own until it is back', async (test) => {
    const alone = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'no'] });
    const own = RedisCounters.connect({
      url: alone.url,
      timeoutMs: TIMEOUT_MS,
      clock: systemClock,
      log: silentLog,
    });
    test.after(async () => {
      await own.close();
      await alone.stop();
    });
    await wholeCluster(own);
    const quota = quotaOf(100, 'month');
    const nowMs = own.nowMs();
    const { startMs, endMs } = quota.calendar.edgesAt(nowMs);
    const keys = Array.from({ length: 200 }, freshKey);
    const checkpoints = keys.map((key) => ({
      key,
      name: quota.name,
      identity: quota.identity,
      startMs,
      endMs,
      used: 40,
      observedMs: nowMs,
    }));
    const [, away] = alone.masters as [ClusterServer, ClusterServer];
    await away.kill();
    while (own.stats().isConnected) await delay(5);
    const mark = await own.epoch.begin();
    const raised = await own.restore(checkpoints);
    assert.ok(raised > 50 && raised < 200, `${raised} raised`);
    assert.ok(await own.epoch.finish(mark));
    assert.equal(await own.epoch.look(), mark);
    await away.start();
    await wholeCluster(own);
    // It joins the others first; then it is seen that it lost its counts.
    while ((await own.epoch.look()) !== undefined) await delay(50);
    const again = await own.epoch.begin();
    assert.equal(await own.restore(checkpoints), 200 - raised);
    assert.ok(await own.epoch.finish(again));
    const outcomes = await Promise.all(
      keys.map((key) => own.check({ key, set: { limits: [quota] }, cost: 0, peek: true })),
    );
    for (const { limits } of outcomes) assert.equal(limits[0]?.remaining, 60);
  });
});
