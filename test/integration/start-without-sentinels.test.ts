import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { type SentinelRig, startSentinels } from '../support/sentinels.ts';
import { check, until } from './asked-node.ts';

const RULE = { limits: [{ name: 'w', algorithm: 'fixed_window', limit: 1, windowMs: 3_600_000 }] };
const CLOSED = { ...RULE, onStoreFailure: 'closed' };

/** With embedded configuration: nothing but Redis is waited for, and no other connection keeps the process alive. */
async function started(t: TestContext, redisUrl: string): Promise<{ brume: BrumeProcess; key: string }> {
  const brume = await startBrume({ BRUME_REDIS_URL: redisUrl });
  t.after(() => brume.stop());
  const key = await createTenant(String(brume.settings.BRUME_ADMIN_SOCKET), 'shop', {
    open: { ...RULE, onStoreFailure: 'open' },
    closed: CLOSED,
  });
  return { brume, key };
}

async function assertJudgedByPolicy(brume: BrumeProcess, key: string): Promise<void> {
  assert.deepEqual(
    [await check(brume, key, 'open', 'ann'), await check(brume, key, 'closed', 'ann')].map(
      ({ success, reason }) => ({ success, reason }),
    ),
    [
      { success: true, reason: null },
      { success: false, reason: 'store_unavailable' },
    ],
  );
}

describe('a start while the Sentinels name no master', { timeout: 120_000 }, () => {
  let rig: SentinelRig;
  before(async () => {
    rig = await startSentinels({ replicas: 0, sentinels: 1 });
  });
  after(() => rig?.stop());

  it('serves by policy where they know none of that name', async (t) => {
    const { brume, key } = await started(t, rig.url.replace(/[^/]+$/u, 'nope'));
    await assertJudgedByPolicy(brume, key);
  });

  it('serves by policy where what is named as a Sentinel is a plain Redis', async (t) => {
    const { port } = rig.servers[0] ?? assert.fail('no server');
    const { brume, key } = await started(t, `redis+sentinel://127.0.0.1:${port}/mymaster`);
    await assertJudgedByPolicy(brume, key);
  });

  it('serves by policy where all of them hang, and counts when they answer', async (t) => {
    for (const sentinel of rig.sentinels) sentinel.hang();
    t.after(() => {
      for (const sentinel of rig.sentinels) sentinel.resume();
    });
    const { brume, key } = await started(t, rig.url);
    await assertJudgedByPolicy(brume, key);
    for (const sentinel of rig.sentinels) sentinel.resume();
    await until(async () => (await check(brume, key, 'closed', 'bob')).success === true);
    assert.equal((await check(brume, key, 'closed', 'bob')).reason, 'limit');
  });
});
