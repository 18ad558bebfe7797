import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';
import { startRedis } from '../support/redis-server.ts';

const LIMITS = [{ name: 'default', algorithm: 'gcra', limit: 3, windowMs: 366 * 24 * 3_600_000 }];

test('B35: a full Redis gives verdicts by policy, says so everywhere, and recovers; one that may evict is warned of', {
  timeout: 60_000,
}, async (t) => {
  const redis = await startRedis({ args: ['--maxmemory', '20mb', '--maxmemory-policy', 'noeviction'] });
  t.after(() => redis.stop());
  const settings = { BRUME_REDIS_URL: redis.url, BRUME_REDIS_TIMEOUT_MS: '2000' };
  const brume = await startBrume(settings);
  t.after(() => brume.stop());
  const socket = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const key = await createTenant(socket, 'shop', {
    open: { limits: LIMITS, onStoreFailure: 'open' },
    closed: { limits: LIMITS, onStoreFailure: 'closed' },
  });
  const ask = (namespace: string, identifier: string) => limitCall(brume, key, { namespace, identifier });
  const metrics = async (name: string) => [
    ...(await metricsOf(socket)).matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm')),
  ];
  for (let count = 0; count < 3; count++) assert.equal((await ask('open', 'ann')).success, true);
  assert.equal((await ask('open', 'ann')).success, false, 'exhausted');

  let junk = 0;
  const fill = async () => {
    for (;;) await redis.client.set(`junk${junk++}`, 'x'.repeat(100_000));
  };
  await assert.rejects(fill, /OOM/);
  await redis.client.config('SET', 'maxmemory', '1mb');
  const open = await ask('open', 'bea');
  assert.deepEqual([open.status, open.success, open.degraded], [200, true, true]);
  const closed = await ask('closed', 'bea');
  assert.deepEqual(
    [closed.status, closed.success, closed.reason, closed.degraded],
    [200, false, 'store_unavailable', true],
  );
  assert.match(
    (await metricsOf(socket)).replaceAll('\n', ' '),
    /brume_redis_faults_total\{kind="oom"\} [1-9]/,
  );
  const { degraded } = (await askAdmin(socket, 'GET', '/v1/status')) as {
    degraded: { namespace: string; policy: string; fault: string }[];
  };
  assert.deepEqual(
    degraded.map(({ namespace, policy, fault }) => `${namespace} ${policy} ${fault}`).toSorted(),
    ['closed closed full', 'open open full'],
  );

  await redis.client.config('SET', 'maxmemory', '60mb');
  assert.equal((await ask('closed', 'bea')).degraded, false, 'there is room again');
  assert.equal((await ask('open', 'ann')).success, false, 'nothing was evicted');

  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await redis.client.config('SET', 'maxmemory', '20mb');
  for (let count = 0; count < 300; count++) {
    await redis.client.set(`junk${junk++}`, 'x'.repeat(100_000));
    const { status: httpStatus, degraded: isDegraded } = await ask('open', 'ann');
    assert.deepEqual([httpStatus, isDegraded], [200, false]);
  }
  await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  while (!(await metrics('brume_redis_may_evict')).some(([, value]) => value === '1'));
  assert.match(brume.log(), /Redis may evict counters/);
});
