import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AdminHarness, startAdminPlane, window } from '../admin/admin-harness.ts';

const TOP = '/v1/projects/shop/namespaces/api/top';

async function withNamespace(admin: AdminHarness): Promise<void> {
  await admin.call('POST', '/v1/projects', { body: { name: 'shop' } });
  await admin.call('POST', '/v1/projects/shop/namespaces', { body: { name: 'api', rule: window(2) } });
}

test('the busiest and the most denied identifiers of a namespace, since when, and how sure that is', async (t) => {
  const admin = await startAdminPlane(t, ({ metrics: { top } }) => ({ top }));
  await withNamespace(admin);
  for (const identifier of ['ann', 'ann', 'ann', 'ann', 'bob', 'bob', 'bob', 'cid']) {
    await admin.call('POST', '/v1/projects/shop/limit', { body: { namespace: 'api', identifier } });
  }
  const { status, json } = await admin.call('GET', `${TOP}?limit=2`);
  assert.equal(status, 200);
  const { since, ...rest } = json ?? {};
  assert.match(String(since), /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual(rest, {
    checks: 8,
    denials: 3,
    busiest: [
      { identifier: 'ann', count: 4, error: 0 },
      { identifier: 'bob', count: 3, error: 0 },
    ],
    mostDenied: [
      { identifier: 'ann', count: 2, error: 0 },
      { identifier: 'bob', count: 1, error: 0 },
    ],
  });
});

test('a namespace without checks has none; an unknown one is 404; a limit that is none is 400', async (t) => {
  const admin = await startAdminPlane(t, ({ metrics: { top } }) => ({ top }));
  await withNamespace(admin);
  const { json } = await admin.call('GET', TOP);
  assert.deepEqual(json, { since: null, checks: 0, denials: 0, busiest: [], mostDenied: [] });
  assert.equal((await admin.call('GET', TOP.replace('/api/', '/nope/'))).json?.code, 'unknown_namespace');
  for (const limit of ['0', '129', 'x', '1e1', '']) {
    const answer = await admin.call('GET', `${TOP}?limit=${limit}`);
    assert.deepEqual([limit, answer.status, answer.json?.field], [limit, 400, 'limit']);
  }
});

test('with BRUME_TOP_IDENTIFIERS off the answer says so', async (t) => {
  const admin = await startAdminPlane(t);
  await withNamespace(admin);
  const { status, json } = await admin.call('GET', TOP);
  assert.equal(status, 404);
  assert.match(String(json?.detail), /BRUME_TOP_IDENTIFIERS is false/);
});
