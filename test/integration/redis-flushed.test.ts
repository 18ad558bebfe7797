import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';
import { startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const RULE = {
  limits: [{ name: 'default', algorithm: 'sliding_log', limit: 5, windowMs: 3_600_000 }],
  quotas: [{ name: 'all', limit: 1000, period: 'never' }],
};

async function subjectOf(t: TestContext, directory?: string) {
  let redis = await startRedis();
  t.after(() => redis.stop());
  const settings = {
    BRUME_REDIS_URL: redis.url,
    BRUME_REDIS_TIMEOUT_MS: '2000',
    BRUME_QUOTA_CHECKPOINT_MS: '200',
  };
  const brume = await startBrume(settings, directory);
  t.after(() => brume.stop());
  const socket = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const key = await createTenant(socket, 'shop', { api: RULE });
  const at = ['--project', 'shop', 'api'];
  const exceptions = [
    ['block', 'add', ...at, 'eve'],
    ['exempt', 'add', ...at, 'max'],
    ['override', 'add', ...at, 'vip', '--set', 'name=default,limit=7'],
  ];
  for (const { exitCode, stderr } of await Promise.all(exceptions.map((line) => brume.run(...line)))) {
    assert.equal(exitCode, 0, stderr);
  }
  const ask = (identifier: string) => limitCall(brume, key, { namespace: 'api', identifier });
  return {
    brume,
    ask,
    /** The next answer that was counted: Redis may be away for a moment. */
    async counted(identifier: string) {
      for (;;) {
        const answer = await ask(identifier);
        if (answer.degraded === false) return answer;
      }
    },
    metric: async (name: string) =>
      Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metricsOf(socket))?.[1] ?? Number.NaN),
    redis: () => redis,
    settings,
    async replace() {
      const port = Number(new URL(redis.url).port);
      await redis.stop();
      redis = await startRedis({ port });
    },
  };
}

for (const loss of ['FLUSHALL', 'another server, without its data'] as const) {
  test(`after ${loss}, blocks, exemptions and overrides hold at once, quotas come back, and the loss is told`, {
    timeout: 60_000,
  }, async (t) => {
    const { brume, ask, counted, metric, redis, replace } = await subjectOf(t);
    for (let count = 0; count < 5; count++) assert.equal((await ask('ann')).success, true);
    assert.equal((await ask('ann')).success, false);
    while (!((await metric('brume_quota_checkpoints_written_total')) > 0)) await delay(20);
    await delay(500);

    if (loss === 'FLUSHALL') await redis().client.flushall();
    else await replace();
    const blocked = await counted('eve');
    assert.deepEqual([blocked.success, blocked.reason], [false, 'blocked']);
    const exempt = await counted('max');
    assert.deepEqual([exempt.success, exempt.reason], [true, 'exempt']);
    const vip = await counted('vip');
    assert.deepEqual([vip.success, vip.limit, vip.remaining], [true, 7, 6]);

    while ((await metric('brume_counters_lost_total')) !== 1) await delay(20);
    while (!((await metric('brume_quotas_restored_total')) >= 1)) await delay(20);
    assert.match(brume.log(), /the counters may have lost what they had counted/);
    const { limits = [] } = (await counted('ann')) as { limits?: { name: string; remaining: number }[] };
    assert.equal(limits.find(({ name }) => name === 'all')?.remaining, 994, 'five and this one are used');
  });
}

test('a FLUSHALL while no node runs is told by the next one, which gives quotas back', {
  timeout: 60_000,
}, async (t) => {
  const directory = temporaryDirectory(t);
  const { brume, ask, metric, redis, settings } = await subjectOf(t, directory);
  assert.equal((await ask('ann')).success, true);
  while (!((await metric('brume_quota_checkpoints_written_total')) > 0)) await delay(20);
  assert.equal(await metric('brume_counters_lost_total'), 0);
  await brume.stop();
  await redis().client.flushall();

  const next = await startBrume(settings, directory);
  t.after(() => next.stop());
  const told = async () => (await metricsOf(next.settings.BRUME_ADMIN_SOCKET ?? '')).split('\n');
  while (!(await told()).includes('brume_counters_lost_total 1')) await delay(20);
  assert.ok((await told()).includes('brume_quotas_restored_total 1'));
  assert.match(next.log(), /the counters may have lost what they had counted/);
});
