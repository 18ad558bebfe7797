import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AdminHarness, startAdminPlane, window } from '../admin/admin-harness.ts';

async function withNamespace(harness: AdminHarness, rule = window(10)): Promise<AdminHarness['call']> {
  await harness.call('POST', '/v1/projects', { body: { name: 'shop' } });
  await harness.call('POST', '/v1/projects/shop/namespaces', { body: { name: 'login', rule } });
  return harness.call;
}

test('limit consumes, peek gives the same verdict and consumes nothing', async (t) => {
  const call = await withNamespace(await startAdminPlane(t), window(3));
  const body = { namespace: 'login', identifier: 'alice', cost: 2 };
  const peeked = await call('POST', '/v1/projects/shop/peek', { body });
  assert.equal(peeked.status, 200);
  const limited = await call('POST', '/v1/projects/shop/limit', { body });
  assert.deepEqual([peeked.json?.success, limited.json?.success, limited.json?.remaining], [true, true, 1]);
  const denied = await call('POST', '/v1/projects/shop/limit', { body });
  assert.deepEqual([denied.status, denied.json?.success, denied.json?.reason], [200, false, 'limit']);
  const again = await call('POST', '/v1/projects/shop/peek', { body: { ...body, cost: 1 } });
  assert.equal(again.json?.success, true);
});

test('the address of an ip namespace is canonical in the verdict', async (t) => {
  const call = await withNamespace(await startAdminPlane(t), window(3, { kind: 'ip' }));
  const body = { namespace: 'login', identifier: '::ffff:192.0.2.1' };
  assert.equal((await call('POST', '/v1/projects/shop/limit', { body })).json?.identifier, '192.0.2.1');
});

test('B17: a bad cost is refused with 400 naming it and consumes nothing; 0 asks, absent is 1', async (t) => {
  const call = await withNamespace(await startAdminPlane(t));
  const check = (cost: string) =>
    call('POST', '/v1/projects/shop/limit', {
      rawBody: `{"namespace":"login","identifier":"alice"${cost === '' ? '' : `,"cost":${cost}`}}`,
    });
  await check('4');
  for (const cost of [
    '-1',
    '-1e9',
    '1.5',
    '"NaN"',
    '"1e3"',
    '"0x10"',
    '9223372036854775808',
    'true',
    '[1]',
    'null',
  ]) {
    const { status, json } = await check(cost);
    assert.deepEqual([status, json?.field], [400, 'cost'], cost);
  }
  assert.equal((await check('0')).json?.remaining, 6);
  assert.equal((await check('')).json?.remaining, 5);
});

test('a request id counts here as on the data plane', async (t) => {
  const call = await withNamespace(await startAdminPlane(t), window(5));
  const body = { namespace: 'login', identifier: 'alice', cost: 2, requestId: 'r1' };
  const first = await call('POST', '/v1/projects/shop/limit', { body });
  assert.deepEqual([first.json?.remaining, first.json?.requestId], [3, 'r1']);
  assert.deepEqual((await call('POST', '/v1/projects/shop/limit', { body })).json, first.json);
  const reused = await call('POST', '/v1/projects/shop/limit', { body: { ...body, cost: 1 } });
  assert.deepEqual([reused.status, reused.json?.code], [409, 'request_id_reused']);
});

test('a reset is 204 and forgets what was used; what it can not find is named', async (t) => {
  const call = await withNamespace(await startAdminPlane(t), window(1));
  const body = { namespace: 'login', identifier: 'alice' };
  await call('POST', '/v1/projects/shop/limit', { body });
  assert.equal((await call('POST', '/v1/projects/shop/reset', { body })).status, 204);
  assert.equal((await call('POST', '/v1/projects/shop/peek', { body })).json?.remaining, 1);
  const cases = [
    ['shop', { ...body, namespace: 'none' }, 404, 'namespace'],
    ['none', body, 404, undefined],
    ['shop', { ...body, identifier: ' ' }, 400, 'identifier'],
    ['shop', { ...body, cost: 1 }, 400, 'cost'],
  ] as const;
  for (const [project, wrong, status, field] of cases) {
    const answer = await call('POST', `/v1/projects/${project}/reset`, { body: wrong });
    assert.deepEqual([answer.status, answer.json?.field], [status, field], answer.text);
  }
});

const LONE_SURROGATE = '{"namespace":"login","identifier":"a\\ud800"}';
const FAULTS: [string, string, number, string, string][] = [
  ['an empty identifier', '{"namespace":"login","identifier":""}', 400, 'bad_request', 'identifier'],
  ['a blank identifier', '{"namespace":"login","identifier":"  "}', 400, 'bad_request', 'identifier'],
  ['513 bytes', `{"namespace":"login","identifier":"${'é'.repeat(257)}"}`, 400, 'bad_request', 'identifier'],
  ['NUL', '{"namespace":"login","identifier":"a\\u0000"}', 400, 'bad_request', 'identifier'],
  ['CR LF', '{"namespace":"login","identifier":"a\\r\\nb"}', 400, 'bad_request', 'identifier'],
  ['a lone surrogate', LONE_SURROGATE, 400, 'bad_request', 'identifier'],
  ['a number as identifier', '{"namespace":"login","identifier":5}', 400, 'bad_request', 'identifier'],
  ['no identifier', '{"namespace":"login"}', 400, 'bad_request', 'identifier'],
  ['no namespace', '{"identifier":"alice"}', 400, 'bad_request', 'namespace'],
  ['an unknown namespace', '{"namespace":"none","identifier":"a"}', 404, 'unknown_namespace', 'namespace'],
  ['an unknown member', '{"namespace":"login","identifier":"a","key":"k"}', 400, 'bad_request', 'key'],
];

for (const [what, rawBody, expectedStatus, code, field] of FAULTS) {
  test(`a check with ${what} is refused with ${expectedStatus} naming ${field}`, async (t) => {
    const call = await withNamespace(await startAdminPlane(t));
    for (const route of ['limit', 'peek']) {
      const { status, json, text } = await call('POST', `/v1/projects/shop/${route}`, { rawBody });
      assert.deepEqual([status, json?.code, json?.field], [expectedStatus, code, field], text);
    }
  });
}
