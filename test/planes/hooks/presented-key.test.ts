import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { requireScope, whoAsks } from '../../../src/planes/hooks/caller.ts';
import { headerLines, soleHeader } from '../../../src/planes/hooks/header-lines.ts';
import { keyInQuery, presentedKey, presentedProxyKey } from '../../../src/planes/hooks/presented-key.ts';
import type { ApiKey } from '../../../src/tenancy/api-key.ts';

test('header lines are found in any case and kept apart, in order', () => {
  const headers = ['X-A', '1', 'x_a', '2', 'x-a', '', 'X-AB', '3', 'x-A', '4, 5'];
  assert.deepEqual(headerLines(headers, 'x-a'), ['1', '', '4, 5']);
  assert.deepEqual(headerLines([], 'x-a'), []);
  assert.throws(() => soleHeader(headers, 'X-A'), { code: 'bad_request', field: 'X-A' });
  assert.throws(() => soleHeader(['x-a', ' '], 'X-A'), { field: 'X-A' });
  assert.equal(soleHeader(headers, 'X-AB'), '3');
  assert.equal(soleHeader(headers, 'X-B'), undefined);
});

test('a key is taken from three headers, and two different ones from none', () => {
  assert.equal(presentedKey(['X-Api-Key', 'k']), 'k');
  assert.equal(presentedKey(['ApiKey', 'k', 'X-API-Key', 'k']), 'k');
  assert.equal(presentedKey(['Authorization', 'BEARER k']), 'k');
  assert.equal(presentedKey(['Authorization', 'Basic k', 'X-API-Key', '']), undefined);
  assert.equal(presentedKey(['X-Brume-Key', 'k']), undefined);
  assert.throws(() => presentedKey(['X-API-Key', 'k', 'Authorization', 'Bearer l']), {
    code: 'bad_request',
    field: 'X-API-Key',
  });
  assert.equal(presentedProxyKey(['X-Brume-Key', 'k', 'X-API-Key', 'l']), 'k');
  assert.equal(presentedProxyKey(['X-API-Key', 'k', 'Authorization', 'Bearer k', 'apikey', 'k']), undefined);
  assert.throws(() => presentedProxyKey(['X-Brume-Key', 'k', 'X-Brume-Key', 'k']), { field: 'X-Brume-Key' });
});

const key: ApiKey = {
  id: 'key_1',
  projectId: 'prj_1',
  name: 'k',
  kind: 'service',
  scopes: ['limit'],
  prefix: 'brume_sk_abcd',
  createdAtMs: 0,
  expiresAtMs: 100,
  revokedAtMs: null,
};

test('a caller is found by the SHA-256 of the bytes that came', async () => {
  const bytes = Buffer.from([0x61, 0xff, 0x80, 0xc3]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const directory = { find: async (hash: string) => (hash === sha256 ? key : undefined) };
  const caller = await whoAsks(directory, { key: bytes.toString('latin1') }, 99);
  assert.deepEqual(caller, { projectId: 'prj_1', keyId: 'key_1', scopes: ['limit'] });
  requireScope(caller, 'limit');
  assert.throws(() => requireScope(caller, 'peek'), { code: 'forbidden_scope' });
  await assert.rejects(whoAsks(directory, { key: bytes.toString('latin1') }, 100), { code: 'unauthorized' });
  await assert.rejects(whoAsks(directory, { key: 'other' }, 99), { code: 'unauthorized' });
  await assert.rejects(whoAsks(directory, { key: undefined }, 99), { code: 'unauthorized' });
  const revoked = { find: async () => ({ ...key, revokedAtMs: 5 }) };
  await assert.rejects(whoAsks(revoked, { key: 'any' }, 99), { code: 'unauthorized' });
});

test('a key in the query is found once, decoded, and as bytes', () => {
  assert.equal(keyInQuery('/v1/events?apikey=brume_pk_a-b_c&x=1'), 'brume_pk_a-b_c');
  assert.equal(keyInQuery('/v1/events?x=1&api%6Bey=%C3%A9'), '\u00c3\u00a9');
  for (const url of ['/v1/events', '/v1/events?', '/v1/events?apikey=', '/v1/events?APIKEY=k', '/apikey=k'])
    assert.equal(keyInQuery(url), undefined, url);
  assert.throws(() => keyInQuery('/v1/events?apikey=k&apikey=k'), { code: 'bad_request', field: 'apikey' });
});

test('a key of another kind than is wanted is as good as none', async () => {
  const directory = { find: async () => key };
  await whoAsks(directory, { key: 'any', onlyKind: 'service' }, 99);
  await assert.rejects(whoAsks(directory, { key: 'any', onlyKind: 'publishable' }, 99), {
    code: 'unauthorized',
  });
});
