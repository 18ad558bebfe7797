import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashApiKey } from '../../../src/tenancy/api-key-secret.ts';
import { startManagementPlane } from './plane-harness.ts';

const KEYS = '/v1/projects/shop/keys';

test('a rotated key goes on beside the new one, for as long as it was told', async (t) => {
  const { call, user, state } = await startManagementPlane(t);
  await user('dora', { default: 'admin' });
  await call('POST', '/v1/projects', { as: 'dora', body: { name: 'shop' } });
  const old = await call('POST', KEYS, {
    as: 'dora',
    body: { name: 'web', kind: 'service', scopes: ['limit'] },
  });
  const fresh = await call('POST', `${KEYS}/${old.json.id}/rotate`, {
    as: 'dora',
    body: { overlapMs: 3_600_000 },
  });
  assert.equal(fresh.status, 201, fresh.body);
  assert.equal(fresh.headers.location, `${KEYS}/${fresh.json.id}`);
  const { name, kind, scopes, replaces, replaced } = fresh.json;
  assert.deepEqual([name, kind, scopes, replaces], ['web', 'service', ['limit'], old.json.id]);
  const endsInMs = Date.parse(String(Object(replaced).expiresAt)) - Date.now();
  assert.ok(endsInMs > 3_500_000 && endsInMs <= 3_600_000);
  for (const { json } of [old, fresh]) {
    assert.equal((await state.keys.find(hashApiKey(String(json.key))))?.id, json.id);
  }
  assert.deepEqual((await call('GET', `${KEYS}/${old.json.id}`, { as: 'dora' })).json, replaced);

  const none = await call('POST', `${KEYS}/key_none/rotate`, { as: 'dora', body: {} });
  assert.deepEqual([none.status, none.json.code], [404, 'unknown_key']);
  for (const overlapMs of [-1, 1.5, 31 * 86_400_000, '5']) {
    const { status, json } = await call('POST', `${KEYS}/${old.json.id}/rotate`, {
      as: 'dora',
      body: { overlapMs },
    });
    assert.deepEqual([status, json.field], [400, 'overlapMs']);
  }
});

test('lists of keys, namespaces and projects come by pages, and by the beginning of a name', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('dora', { default: 'admin' });
  const rule = { limits: [{ algorithm: 'fixed_window', limit: 5, windowMs: 60_000 }] };
  const names = ['a1', 'a2', 'a3', 'b1', 'b2'];
  await call('POST', '/v1/projects', { as: 'dora', body: { name: 'shop' } });
  for (const name of names) {
    await call('POST', KEYS, { as: 'dora', body: { name, kind: 'service' } });
    await call('POST', '/v1/projects/shop/namespaces', { as: 'dora', body: { name, rule } });
    await call('POST', '/v1/projects', { as: 'dora', body: { name } });
  }
  for (const path of [KEYS, '/v1/projects/shop/namespaces', '/v1/projects']) {
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { json } = await call('GET', `${path}?limit=2${after}`, { as: 'dora' });
      seen.push(...(json.items as { name: string }[]).map(({ name }) => name));
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    assert.deepEqual(seen.filter((name) => name !== 'shop').sort(), names, path);
    const { json } = await call('GET', `${path}?name=b`, { as: 'dora' });
    assert.deepEqual(
      (json.items as { name: string }[]).map(({ name }) => name),
      ['b1', 'b2'],
      path,
    );
  }
});
