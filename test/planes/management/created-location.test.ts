import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startManagementPlane } from './plane-harness.ts';

const RULE = { limits: [{ name: 'minute', algorithm: 'fixed_window', limit: 5, windowMs: 60_000 }] };
const IN_2090 = '2090-01-31T12:00:00Z';

test('whatever is made says in Location where it is', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const made: readonly [path: string, body: object][] = [
    ['/v1/organisations', { name: 'acme' }],
    ['/v1/organisations/default/tokens', { name: 'deploy', role: 'viewer', expiresAt: tomorrow }],
    ['/v1/users', { login: 'bert' }],
    ['/v1/tiers', { name: 'free', callsPerDay: 10 }],
    ['/v1/projects', { name: 'shop' }],
    ['/v1/projects/shop/keys', { name: 'web', kind: 'service' }],
    ['/v1/projects/shop/namespaces', { name: 'login', rule: RULE }],
    ['/v1/projects/shop/namespaces/login/blocks', { match: 'mallory', expiresAt: IN_2090 }],
  ];
  for (const [path, body] of made) {
    const { status, headers, json } = await call('POST', path, { as: 'olga', body });
    assert.equal(status, 201, `${path}: ${JSON.stringify(json)}`);
    const location = String(headers.location);
    assert.ok(location.startsWith(`${path}/`), `${path}: ${location}`);
    const known = [json.id, json.name, json.login];
    assert.ok(known.includes(location.slice(path.length + 1)), location);
  }
});
