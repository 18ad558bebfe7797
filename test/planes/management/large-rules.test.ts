import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdminPlane } from '../admin/admin-harness.ts';

const LIMITS = [{ name: 'minute', algorithm: 'gcra', limit: 5, window: '1m' }];
const blocks = Array.from({ length: 5000 }, (_, index) => ({
  match: `user-${index}@example.com`,
  reason: 'a list that is long enough to be read and written in portions',
}));

test('rules of thousands are applied, shown and exported whole, and a fault in them is told', async (t) => {
  const { call } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  const path = '/v1/projects/shop/rules';
  const body = { project: 'shop', namespaces: { login: { kind: 'text', limits: LIMITS, blocks } } };
  const difference = await call('PUT', `${path}?dryRun=true`, { body });
  const applied = await call('PUT', path, { body });
  for (const { status, json, headers, text } of [difference, applied]) {
    assert.equal(status, 200, text.slice(0, 500));
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(
      [json?.summary, Object(json?.items).length],
      ['1 namespace created, 5000 blocks created', 5001],
    );
  }
  const exported = await call('GET', path);
  const sorted = blocks.toSorted((left, right) => (left.match < right.match ? -1 : 1));
  assert.deepEqual(Object(exported.json?.rules).namespaces.login.blocks, sorted);
  const change = await call('GET', `/v1/projects/shop/changes/${applied.json?.revision}`);
  assert.equal(Object(change.json?.items).length, 5001);
  const same = await call('PUT', `${path}?prune=true`, { body });
  assert.deepEqual([same.status, same.json?.summary], [200, 'nothing changed']);

  const cut = await call('PUT', path, {
    rawBody: JSON.stringify(body).slice(0, -1),
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual([cut.status, cut.json?.code], [400, 'bad_request']);
  const rawBody = JSON.stringify(body).replace('{"kind"', '{"__proto__":{"a":1},"kind"');
  const poisoned = await call('PUT', path, { rawBody, headers: { 'content-type': 'application/json' } });
  assert.deepEqual([poisoned.status, poisoned.json?.code], [400, 'bad_request']);
  const repeated = await call('PUT', path, {
    rawBody: JSON.stringify(body).replace('{"kind"', '{"kind":"text","kind"'),
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual([repeated.status, repeated.json?.field], [400, 'namespaces.login.kind']);
});
