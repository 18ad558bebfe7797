import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdminPlane } from '../admin/admin-harness.ts';

const RULE = { limits: [{ algorithm: 'concurrency', limit: 2, ttlMs: 60_000 }] };

test('the leases of an identifier are listed, and can be taken back', async (t) => {
  const { state, call } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  await call('POST', '/v1/projects/shop/namespaces', { body: { name: 'exports', rule: RULE } });
  const project = await state.tenancy.findProject('shop');
  const namespace = state.snapshot.namespace(project?.id ?? '', 'exports');
  assert.ok(namespace);
  const check = { namespace, identifier: 'Łódź 1', cost: 1, peek: false };
  for (let held = 0; held < 2; held++)
    assert.equal((await state.limiter.acquire(check)).verdict.success, true);

  const list = () =>
    call('GET', `/v1/projects/shop/namespaces/exports/leases?identifier=${encodeURIComponent('Łódź 1')}`);
  const { items } = (await list()).json as { items: { id: string; expiresAt: string }[] };
  assert.equal(items.length, 2);
  assert.ok(Date.parse(items[0]?.expiresAt ?? '') > Date.now());
  const taken = await call('DELETE', `/v1/projects/shop/leases/${items[0]?.id}`);
  assert.equal(taken.status, 204);
  assert.deepEqual((await list()).json, { items: items.slice(1) });
  assert.equal((await state.limiter.acquire(check)).verdict.success, true);
});

test('without an identifier, for a namespace or a lease that is not there: refused by name', async (t) => {
  const { call } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  await call('POST', '/v1/projects/shop/namespaces', { body: { name: 'exports', rule: RULE } });
  const base = '/v1/projects/shop/namespaces';
  assert.equal((await call('GET', `${base}/exports/leases`)).json?.field, 'identifier');
  assert.equal((await call('GET', `${base}/exports/leases?identifier=`)).json?.field, 'identifier');
  assert.equal((await call('GET', `${base}/none/leases?identifier=a`)).json?.code, 'unknown_namespace');
  assert.equal((await call('DELETE', '/v1/projects/shop/leases/lse.x')).json?.code, 'unknown_lease');
  assert.deepEqual((await call('GET', `${base}/exports/leases?identifier=a`)).json, { items: [] });
});
