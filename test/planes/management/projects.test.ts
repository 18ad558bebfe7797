import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdminPlane, window } from '../admin/admin-harness.ts';

test('a project is created, listed, found by name and by id, and deleted', async (t) => {
  const { call } = await startAdminPlane(t);
  const created = await call('POST', '/v1/projects', { body: { name: 'shop' } });
  assert.equal(created.status, 201);
  assert.equal(created.headers.location, '/v1/projects/shop');
  const { id, name, createdAt, updatedAt } = created.json ?? {};
  assert.match(String(id), /^prj_/);
  assert.equal(name, 'shop');
  assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updatedAt, createdAt);

  assert.deepEqual((await call('GET', '/v1/projects')).json, { items: [created.json], next: null });
  assert.deepEqual((await call('GET', '/v1/projects/shop')).json, created.json);
  assert.deepEqual((await call('GET', `/v1/projects/${id}`)).json, created.json);

  const deleted = await call('DELETE', '/v1/projects/shop');
  assert.equal(deleted.status, 204);
  assert.equal(deleted.text, '');
  assert.deepEqual((await call('GET', '/v1/projects')).json, { items: [], next: null });
});

test('deleting a project takes its namespaces and keys with it, and its name can be used again', async (t) => {
  const { call, state } = await startAdminPlane(t);
  const { json } = await call('POST', '/v1/projects', { body: { name: 'shop' } });
  await call('POST', '/v1/projects/shop/namespaces', { body: { name: 'login', rule: window(5) } });
  await call('POST', '/v1/projects/shop/keys', { body: { name: 'web', kind: 'service' } });
  assert.ok(state.snapshot.namespace(String(json?.id), 'login'));

  assert.equal((await call('DELETE', '/v1/projects/shop')).status, 204);
  assert.equal(state.snapshot.namespace(String(json?.id), 'login'), undefined);
  assert.equal((await call('GET', '/v1/projects/shop/keys')).json?.code, 'unknown_project');

  assert.equal((await call('POST', '/v1/projects', { body: { name: 'shop' } })).status, 201);
  assert.deepEqual((await call('GET', '/v1/projects/shop/namespaces')).json, { items: [], next: null });
  assert.deepEqual((await call('GET', '/v1/projects/shop/keys')).json, { items: [], next: null });
});

test('a name that is taken is refused with 409', async (t) => {
  const { call } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  const { status, json } = await call('POST', '/v1/projects', { body: { name: 'shop' } });
  assert.equal(status, 409);
  assert.equal(json?.code, 'conflict');
});

test('an unknown project is 404 on every route below it', async (t) => {
  const { call } = await startAdminPlane(t);
  const check = { namespace: 'login', identifier: 'alice' };
  const calls: [string, string, unknown?][] = [
    ['GET', '/v1/projects/none'],
    ['DELETE', '/v1/projects/none'],
    ['GET', '/v1/projects/none/keys'],
    ['POST', '/v1/projects/none/keys', { name: 'web', kind: 'service' }],
    ['DELETE', '/v1/projects/none/keys/key_1'],
    ['GET', '/v1/projects/none/namespaces'],
    ['POST', '/v1/projects/none/namespaces', { name: 'login', rule: window(5) }],
    ['GET', '/v1/projects/none/namespaces/login'],
    ['PUT', '/v1/projects/none/namespaces/login', { rule: window(5) }],
    ['DELETE', '/v1/projects/none/namespaces/login'],
    ['POST', '/v1/projects/none/limit', check],
    ['POST', '/v1/projects/none/peek', check],
  ];
  for (const [method, path, body] of calls) {
    const { status, json, headers } = await call(method, path, { body });
    assert.deepEqual([status, json?.code], [404, 'unknown_project'], `${method} ${path}`);
    assert.match(String(headers['content-type']), /^application\/problem\+json/);
  }
});

const UNUSUAL_NAMES = [
  'Müller',
  'Łódź',
  '用户🙂',
  'a'.repeat(300),
  'shop\r\nX-Evil: 1',
  'shop\u0000',
  '\ud800',
  'caf\u00e9',
  'cafe\u0301',
  '',
  ' ',
  'Shop',
  '-shop',
  '.',
  '../shop',
];

for (const name of UNUSUAL_NAMES) {
  test(`B42: the name ${JSON.stringify(name).slice(0, 40)} is refused with 400 naming it, in a path with 404`, async (t) => {
    const { call } = await startAdminPlane(t);
    await call('POST', '/v1/projects', { body: { name: 'shop' } });

    const created = await call('POST', '/v1/projects', { body: { name } });
    assert.deepEqual([created.status, created.json?.code, created.json?.field], [400, 'bad_request', 'name']);
    assert.equal(created.headers['x-evil'], undefined);
    const namespace = await call('POST', '/v1/projects/shop/namespaces', { body: { name, rule: window(5) } });
    assert.deepEqual([namespace.status, namespace.json?.field], [400, 'name']);
    assert.deepEqual((await call('GET', '/v1/projects/shop/namespaces')).json, { items: [], next: null });

    if (!name.isWellFormed() || name === '' || name.startsWith('.')) return; // not a segment of a path
    for (const path of ['/v1/projects/', '/v1/projects/shop/namespaces/']) {
      const found = await call('GET', path + encodeURIComponent(name));
      assert.equal(found.status, 404, found.text);
    }
    const revoked = await call('DELETE', `/v1/projects/shop/keys/${encodeURIComponent(name)}`);
    assert.deepEqual([revoked.status, revoked.json?.code], [404, 'unknown_key']);
  });
}

test('a path that is not valid percent-encoding is 400', async (t) => {
  const { call } = await startAdminPlane(t);
  const { status, json } = await call('GET', '/v1/projects/%ff');
  assert.deepEqual([status, json?.code, json?.field], [400, 'bad_request', 'path']);
});
