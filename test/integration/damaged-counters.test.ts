import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { limitCall } from '../support/limit-call.ts';
import { startRedis } from '../support/redis-server.ts';

const LIMITS = [{ name: 'default', algorithm: 'gcra', limit: 100, windowMs: 366 * 24 * 3_600_000 }];
const WARNING = /counter state was damaged and has been removed/g;

test('B15: a damaged counter is answered by policy, warned of once and counts anew, and nothing ends', {
  timeout: 60_000,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const settings = { BRUME_REDIS_URL: redis.url, BRUME_REDIS_TIMEOUT_MS: '2000' };
  const brume = await startBrume(settings);
  t.after(() => brume.stop());
  const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
    open: { limits: LIMITS, onStoreFailure: 'open' },
    closed: { limits: LIMITS, onStoreFailure: 'closed' },
    local: { limits: LIMITS, onStoreFailure: 'local' },
  });
  const before = { redis: await redis.client.info('server'), pid: brume.pid };

  for (const [policy, success, reason] of [
    ['open', true, null],
    ['closed', false, 'store_unavailable'],
    ['local', true, null],
  ] as const) {
    const ask = () => limitCall(brume, key, { namespace: policy, identifier: 'ann' });
    const counters = async () => (await redis.client.keys('{p*')).filter((name) => !known.has(name));
    const known = new Set(await redis.client.keys('{p*'));
    assert.equal((await ask()).remaining, 99);
    const [counter = ''] = await counters();
    for (const [what, damage] of [
      ['hello', () => redis.client.set(counter, 'hello')],
      ['an empty text', () => redis.client.set(counter, '')],
      ['9e999', () => redis.client.set(counter, '9e999')],
      ['a list', () => redis.client.multi().del(counter).rpush(counter, 'hello').exec()],
    ] as const) {
      const warnings = brume.log().match(WARNING)?.length ?? 0;
      await damage();
      const verdict = await ask();
      assert.deepEqual(
        [verdict.status, verdict.success, verdict.degraded, verdict.reason],
        [200, success, true, reason],
        `${policy}: ${what}`,
      );
      assert.equal(
        (await ask()).remaining,
        policy === 'local' ? 98 : 99,
        `${policy}: ${what}: it counts anew`,
      );
      assert.equal((await ask()).remaining, policy === 'local' ? 97 : 98);
      assert.equal(
        (brume.log().match(WARNING)?.length ?? 0) - warnings,
        1,
        `${policy}: ${what}: one warning`,
      );
    }
  }

  assert.equal(
    (await redis.client.info('server')).match(/run_id:\w+/)?.[0],
    before.redis.match(/run_id:\w+/)?.[0],
  );
  process.kill(brume.pid, 0);
  assert.doesNotMatch(brume.log(), /"level":"(?:error|fatal)"/);
});
