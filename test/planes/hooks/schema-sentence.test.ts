import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaSentence } from '../../../src/planes/hooks/schema-sentence.ts';
import { startAdminPlane } from '../admin/admin-harness.ts';
import { problemIn, startPlane, window } from '../data/plane-harness.ts';

test('the description of a schema is the sentence; without one it is made of what the schema says', () => {
  const said = (parentSchema: Record<string, unknown>, keyword = 'type') =>
    schemaSentence({ keyword, parentSchema });
  assert.equal(said({ type: 'string', pattern: '^a$', description: 'the letter a' }), 'must be the letter a');
  assert.equal(said({ type: 'string', enum: ['a', 'b'] }, 'enum'), 'must be one of a, b');
  assert.equal(
    said({ type: 'integer', minimum: 0, maximum: 9 }, 'minimum'),
    'must be an integer from 0 to 9',
  );
  assert.equal(said({ type: 'array', minItems: 1 }, 'minItems'), 'must be a list of at least 1 entries');
  assert.equal(said({ type: 'array', uniqueItems: true }, 'uniqueItems'), 'must not have an entry twice');
  assert.equal(said({ type: 'string', pattern: '^a$' }, 'pattern'), 'must be valid');
  assert.equal(schemaSentence({}), 'must be valid');
});

test('no answer of the data plane shows the words of the validator', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  const detailOf = async (path: string, body: unknown) => problemIn(await plane.post(path, body)).detail;
  const check = { namespace: 'api', identifier: 'ann' };
  assert.equal(
    await detailOf('/v1/limit', { ...check, cost: '1' }),
    'cost must be an integer from 0 to 9007199254740991.',
  );
  assert.equal(
    await detailOf('/v1/limit', { ...check, cost: -1 }),
    'cost must be an integer from 0 to 9007199254740991.',
  );
  assert.equal(await detailOf('/v1/limit', { ...check, identifier: 7 }), 'identifier must be a string.');
  assert.equal(
    await detailOf('/v1/limit', { ...check, requestId: '\n' }),
    'requestId must be 1 to 128 printable ASCII characters.',
  );
  assert.equal(await detailOf('/v1/limit', []), 'body must be an object.');
  assert.equal(
    await detailOf('/v1/limit/batch', { checks: [] }),
    'checks must be a list of 1 to 1000 entries.',
  );
  assert.equal(
    await detailOf('/v1/limit/batch', { checks: [check], atomic: 1 }),
    'atomic must be true or false.',
  );
});

test('nor does one of the management routes', async (t) => {
  const { call } = await startAdminPlane(t);
  const detailOf = async (path: string, body: object) => (await call('POST', path, { body })).json?.detail;
  assert.equal(
    await detailOf('/v1/projects', { name: 'A B' }),
    'name must be 1 to 64 characters of a-z, 0-9, ".", "_" and "-", the first one a letter or digit.',
  );
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  const keys = '/v1/projects/shop/keys';
  assert.equal(await detailOf(keys, { name: 'web', kind: 'x' }), 'kind must be one of publishable, service.');
  assert.match(
    String(await detailOf(keys, { name: 'web', kind: 'service', expiresAt: 7 })),
    /^expiresAt must be a time in ISO 8601/,
  );
  assert.equal(
    await detailOf(keys, { name: 'web', kind: 'service', scopes: ['limit', 'limit'] }),
    'scopes must not have an entry twice.',
  );
});
