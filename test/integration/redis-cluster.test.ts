import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';
import { type ClusterServer, type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';

const CHECKPOINT_MS = 500;

describe('Brume on a cluster', () => {
  let cluster: RedisCluster;
  let brume: BrumeProcess;
  let key: string;
  const identifiers = Array.from({ length: 30 }, (_, index) => `user-${index}`);

  before(async () => {
    cluster = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'no'] });
    brume = await startBrume({
      BRUME_REDIS_URL: cluster.url,
      BRUME_REDIS_TIMEOUT_MS: '1000',
      BRUME_QUOTA_CHECKPOINT_MS: String(CHECKPOINT_MS),
    });
    key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
      api: { quotas: [{ limit: 100, period: 'month' }] },
    });
  });
  after(async () => {
    await brume?.stop();
    await cluster?.stop();
  });

  const checkAll = (cost: number) =>
    Promise.all(
      identifiers.map((identifier) => limitCall(brume, key, { namespace: 'api', identifier, cost })),
    );
  const ready = async () => JSON.parse((await call(`${brume.url}/ready`)).body);
  const metric = async (name: string) =>
    (await metricsOf(brume.settings.BRUME_ADMIN_SOCKET ?? ''))
      .split('\n')
      .filter((line) => line.startsWith(name));
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await delay(50);
  }

  it('B33: 100 requests at once, each of another identifier, are 100 answers without a fault', async () => {
    await until(async () => (await ready()).status === 'ready');
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        limitCall(brume, key, { namespace: 'api', identifier: `other-${index}` }),
      ),
    );
    for (const { status, success, degraded, remaining } of verdicts)
      assert.deepEqual([status, success, degraded, remaining], [200, true, false, 99]);
  });

  it('degrades the identifiers of a shard that is away alone, says so, and gives their quotas back when it returns empty', async () => {
    await until(async () => (await ready()).status === 'ready');
    for (const { remaining, degraded } of await checkAll(40))
      assert.deepEqual([remaining, degraded], [60, false]);
    await delay(3 * CHECKPOINT_MS);

    const [, victim] = cluster.masters as [ClusterServer, ClusterServer];
    await victim.kill();
    await until(async () => (await ready()).stores.counters === 'partly_available');
    const { isReady, status, stores } = { isReady: true, ...(await ready()) };
    assert.deepEqual([isReady, status, stores.slotsAway], [true, 'degraded', ['5462-10923']]);
    const verdicts = await checkAll(1);
    const degradedCount = verdicts.filter(({ degraded }) => degraded).length;
    assert.ok(degradedCount > 0 && degradedCount < 25, `${degradedCount} of 30`);
    for (const { status: code, remaining, degraded } of verdicts) {
      assert.deepEqual([code, remaining], [200, degraded ? null : 59]);
    }
    assert.deepEqual(await metric('brume_redis_cluster_shards_away'), ['brume_redis_cluster_shards_away 1']);
    const connected = await metric('brume_redis_cluster_node_connected{');
    assert.deepEqual(
      connected.sort(),
      cluster.masters
        .map(
          ({ name }) => `brume_redis_cluster_node_connected{node="${name}"} ${name === victim.name ? 0 : 1}`,
        )
        .sort(),
    );

    await victim.start();
    await until(async () => (await ready()).status === 'ready');
    await until(async () => (await checkAll(0)).every(({ remaining }) => Number(remaining) <= 60));
  });
});
