import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdminPlane } from '../admin/admin-harness.ts';

const headers = { 'content-type': 'application/json' };

test('a route that reads no body takes a request that names a media type and has none', async (t) => {
  const { call } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  const typed = { headers: { ...headers, 'content-length': '0' } };
  assert.equal((await call('GET', '/v1/projects', typed)).status, 200);
  assert.equal((await call('DELETE', '/v1/projects/none', typed)).status, 404);
  assert.equal((await call('DELETE', '/v1/projects/shop', { headers })).status, 204);
});

test('a route that reads a body must get one', async (t) => {
  const { call } = await startAdminPlane(t);
  const { status, json } = await call('POST', '/v1/projects', { headers });
  assert.deepEqual([status, json?.field], [400, 'body']);
});
