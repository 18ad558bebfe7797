import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { startAdminPlane, window } from './admin-harness.ts';

const away = async (): Promise<never> => {
  throw new BrumeError('store_unavailable', { cause: new Error('connection refused to db.internal') });
};

test('while the store is away every management call is 503 store_unavailable, and no cause shows', async (t) => {
  const { call, lines } = await startAdminPlane(t, () => ({
    tenancy: {
      listProjects: away,
      findProject: away,
      createProject: away,
      deleteProject: away,
      listKeys: away,
      createKey: away,
      rotateKey: away,
      revokeKey: away,
    },
  }));
  const calls: [string, string, unknown?][] = [
    ['GET', '/v1/projects'],
    ['POST', '/v1/projects', { name: 'shop' }],
    ['GET', '/v1/projects/shop'],
    ['DELETE', '/v1/projects/shop'],
    ['POST', '/v1/projects/shop/keys', { name: 'web', kind: 'service' }],
    ['PUT', '/v1/projects/shop/namespaces/login', { rule: window(5) }],
    ['POST', '/v1/projects/shop/limit', { namespace: 'login', identifier: 'alice' }],
  ];
  for (const [method, path, body] of calls) {
    const { status, json, text } = await call(method, path, { body });
    assert.deepEqual([status, json?.code], [503, 'store_unavailable'], `${method} ${path}`);
    assert.equal(text.includes('db.internal'), false);
  }
  assert.ok(lines.some(({ msg, status }) => msg === 'configuration change refused' && status === 503));
});

test('a fault of our own is a fixed 500, and the log has its cause', async (t) => {
  const { call, lines } = await startAdminPlane(t, ({ tenancy }) => ({
    tenancy: Object.assign(Object.create(tenancy), {
      listProjects: async () => {
        throw new Error('secret cause');
      },
    }),
  }));
  const { status, json, text } = await call('GET', '/v1/projects');
  assert.deepEqual([status, json?.code], [500, 'internal']);
  assert.equal(text.includes('secret cause'), false);
  assert.ok(lines.some((line) => line.level === 'error' && JSON.stringify(line).includes('secret cause')));
});

test('/health shows the version, /ready the stores and the age of the snapshot', async (t) => {
  const { call, state } = await startAdminPlane(t);
  assert.deepEqual((await call('GET', '/health')).json, { status: 'ok', version: '1.2.3' });
  const ready = await call('GET', '/ready');
  assert.equal(ready.status, 200);
  assert.equal(ready.json?.status, 'ready');
  assert.deepEqual(ready.json?.stores, { configuration: 'available', counters: 'available' });
  state.readiness.startDraining();
  const draining = await call('GET', '/ready');
  assert.equal(draining.status, 503);
  assert.equal(draining.json?.status, 'draining');
});

test('every write is logged with its author, what it was and how it ended; questions are not', async (t) => {
  const { call, lines } = await startAdminPlane(t);
  const headers = { 'x-brume-author': 'anna' };
  await call('POST', '/v1/projects', { body: { name: 'shop' }, headers });
  await call('POST', '/v1/projects', { body: { name: 'shop' }, headers });
  await call('POST', '/v1/projects/shop/namespaces', { body: { name: 'login', rule: window(5) }, headers });
  await call('PUT', '/v1/projects/shop/namespaces/login', { body: { rule: window(6) }, headers });
  await call('GET', '/v1/projects', { headers });
  await call('POST', '/v1/projects/shop/limit', {
    body: { namespace: 'login', identifier: 'alice' },
    headers,
  });
  await call('DELETE', '/v1/projects/shop', {});

  const writes = lines.filter(({ msg }) => msg.startsWith('configuration change'));
  assert.deepEqual(
    writes.map(({ author, method, route, project, namespace, created, status }) => ({
      author,
      method,
      route,
      ...(project !== undefined && { project }),
      ...(namespace !== undefined && { namespace }),
      ...(created !== undefined && { created }),
      status,
    })),
    [
      {
        author: 'local:anna',
        method: 'POST',
        route: '/v1/projects',
        created: '/v1/projects/shop',
        status: 201,
      },
      { author: 'local:anna', method: 'POST', route: '/v1/projects', status: 409 },
      {
        author: 'local:anna',
        method: 'POST',
        route: '/v1/projects/:project/namespaces',
        project: 'shop',
        created: '/v1/projects/shop/namespaces/login',
        status: 201,
      },
      {
        author: 'local:anna',
        method: 'PUT',
        route: '/v1/projects/:project/namespaces/:namespace',
        project: 'shop',
        namespace: 'login',
        status: 200,
      },
      {
        author: 'local:unknown',
        method: 'DELETE',
        route: '/v1/projects/:project',
        project: 'shop',
        status: 204,
      },
    ],
  );
});

test('an answer carries the request id under which the log has it', async (t) => {
  const { call, lines } = await startAdminPlane(t);
  const { headers } = await call('POST', '/v1/projects', { body: { name: 'shop' } });
  assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
  assert.equal(lines.at(-1)?.requestId, headers['x-request-id']);
});

test('the key that a call makes is nowhere in the log', async (t) => {
  const { call, lines } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  const { json } = await call('POST', '/v1/projects/shop/keys', { body: { name: 'web', kind: 'service' } });
  assert.equal(JSON.stringify(lines).includes(String(json?.key)), false);
});

test('an unknown route is 404, a wrong method 405 with Allow', async (t) => {
  const { call } = await startAdminPlane(t);
  const unknown = await call('GET', '/v1/limit');
  assert.deepEqual([unknown.status, unknown.json?.code], [404, 'unknown_route']);
  const wrong = await call('DELETE', '/v1/projects');
  assert.deepEqual([wrong.status, wrong.json?.code], [405, 'method_not_allowed']);
  assert.equal(wrong.headers.allow, 'GET, POST');
  const below = await call('GET', '/v1/projects/shop/limit');
  assert.deepEqual([below.status, below.headers.allow], [405, 'POST']);
});

test('a body of another type is 415, one that is too large 413', async (t) => {
  const { call } = await startAdminPlane(t);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
    const refused = await call('POST', '/v1/projects', {
      rawBody: '{"name":"shop"}',
      headers: { 'content-type': type },
    });
    assert.deepEqual([refused.status, refused.json?.code], [415, 'unsupported_media_type'], type);
  }
  const large = await call('POST', '/v1/projects', { rawBody: `{"name":"${'a'.repeat(70_000)}"}` });
  assert.deepEqual([large.status, large.json?.code], [413, 'payload_too_large']);
  assert.match(String(large.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  assert.deepEqual((await call('GET', '/v1/projects')).json, { items: [], next: null });
});
