import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScopes } from '../../../src/tenancy/api-key.ts';
import { hashApiKey } from '../../../src/tenancy/api-key-secret.ts';
import { type AdminHarness, startAdminPlane } from '../admin/admin-harness.ts';

async function withProject(harness: AdminHarness): Promise<AdminHarness['call']> {
  await harness.call('POST', '/v1/projects', { body: { name: 'shop' } });
  return harness.call;
}

test('a key is shown whole once, and never again', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  const created = await call('POST', '/v1/projects/shop/keys', {
    body: { name: 'web', kind: 'publishable' },
  });
  assert.equal(created.status, 201);
  const { key, ...record } = created.json ?? {};
  assert.match(String(key), /^brume_pk_[A-Za-z0-9_-]{43}$/);
  assert.equal(created.headers.location, `/v1/projects/shop/keys/${record.id}`);
  assert.ok(String(key).startsWith(String(record.prefix)));
  assert.deepEqual(record.scopes, defaultScopes('publishable'));
  assert.equal(record.expiresAt, null);
  assert.equal(record.revokedAt, null);

  const listed = await call('GET', '/v1/projects/shop/keys');
  assert.deepEqual(listed.json, { items: [record], next: null });
  assert.equal(listed.text.includes(String(key)), false);
});

test('a key has the scopes and the expiry it was given', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  const body = { name: 'web', kind: 'service', scopes: ['peek'], expiresAt: '2100-01-31T13:00:00+01:00' };
  const { status, json } = await call('POST', '/v1/projects/shop/keys', { body });
  assert.equal(status, 201);
  assert.deepEqual(json?.scopes, ['peek']);
  assert.equal(json?.expiresAt, '2100-01-31T12:00:00.000Z');
});

test('a revoked key is refused by this node at once, and revoking twice keeps the first time', async (t) => {
  const harness = await startAdminPlane(t);
  const call = await withProject(harness);
  const { json } = await call('POST', '/v1/projects/shop/keys', { body: { name: 'web', kind: 'service' } });
  const sha256 = hashApiKey(String(json?.key));
  assert.equal((await harness.state.keys.find(sha256))?.id, json?.id);

  const revoked = await call('DELETE', `/v1/projects/shop/keys/${json?.id}`);
  assert.equal(revoked.status, 200);
  assert.match(String(revoked.json?.revokedAt), /Z$/);
  assert.equal(await harness.state.keys.find(sha256), undefined);

  const again = await call('DELETE', `/v1/projects/shop/keys/${json?.id}`);
  assert.deepEqual(again.json, revoked.json);
});

test('an unknown key is 404, also that of another project', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  await call('POST', '/v1/projects', { body: { name: 'other' } });
  const { json } = await call('POST', '/v1/projects/other/keys', { body: { name: 'web', kind: 'service' } });
  for (const id of ['key_none', String(json?.id)]) {
    const { status, json: problem } = await call('DELETE', `/v1/projects/shop/keys/${id}`);
    assert.deepEqual([status, problem?.code], [404, 'unknown_key']);
  }
});

const FAULTS: [string, Record<string, unknown>, string][] = [
  ['no name', { kind: 'service' }, 'name'],
  ['no kind', { name: 'web' }, 'kind'],
  ['another kind', { name: 'web', kind: 'root' }, 'kind'],
  ['a kind that is not text', { name: 'web', kind: 1 }, 'kind'],
  ['an empty name', { name: '', kind: 'service' }, 'name'],
  ['B42: a name with a line break', { name: 'web\r\nX-Evil: 1', kind: 'service' }, 'name'],
  ['B42: a name in another script', { name: '用户🙂', kind: 'service' }, 'name'],
  ['an unknown scope', { name: 'web', kind: 'service', scopes: ['limit', 'admin'] }, 'scopes[1]'],
  ['no scope at all', { name: 'web', kind: 'service', scopes: [] }, 'scopes'],
  ['a scope twice', { name: 'web', kind: 'service', scopes: ['peek', 'peek'] }, 'scopes'],
  ['scopes as text', { name: 'web', kind: 'service', scopes: 'limit' }, 'scopes'],
  ['a date without a time', { name: 'web', kind: 'service', expiresAt: '2100-01-01' }, 'expiresAt'],
  [
    'a time without an offset',
    { name: 'web', kind: 'service', expiresAt: '2100-01-01T00:00:00' },
    'expiresAt',
  ],
  ['30 February', { name: 'web', kind: 'service', expiresAt: '2100-02-30T00:00:00Z' }, 'expiresAt'],
  ['hour 25', { name: 'web', kind: 'service', expiresAt: '2100-01-01T25:00:00Z' }, 'expiresAt'],
  ['a time that is past', { name: 'web', kind: 'service', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ['a number as time', { name: 'web', kind: 'service', expiresAt: 4102444800 }, 'expiresAt'],
  ['an unknown member', { name: 'web', kind: 'service', scope: 'limit' }, 'scope'],
];

for (const [what, body, field] of FAULTS) {
  test(`a new key with ${what} is refused with 400 naming ${field}, and none is made`, async (t) => {
    const call = await withProject(await startAdminPlane(t));
    const { status, json, text } = await call('POST', '/v1/projects/shop/keys', { body });
    assert.deepEqual([status, json?.code, json?.field], [400, 'bad_request', field], text);
    assert.deepEqual((await call('GET', '/v1/projects/shop/keys')).json, { items: [], next: null });
  });
}
