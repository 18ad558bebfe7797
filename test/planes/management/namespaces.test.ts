import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AdminHarness, startAdminPlane, window } from '../admin/admin-harness.ts';

const PATH = '/v1/projects/shop/namespaces';

async function withProject(harness: AdminHarness): Promise<AdminHarness['call']> {
  await harness.call('POST', '/v1/projects', { body: { name: 'shop' } });
  return harness.call;
}

test('a namespace is created with its defaults filled in, listed, read, replaced and deleted', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  const created = await call('POST', PATH, { body: { name: 'login', rule: window(5) } });
  assert.equal(created.status, 201);
  assert.equal(created.headers.location, `${PATH}/login`);
  assert.deepEqual(created.json?.rule, {
    kind: 'text',
    ipv6Prefix: 64,
    identifyBy: 'address',
    onStoreFailure: 'open',
    mode: 'enforce',
    limits: [{ name: 'default', algorithm: 'fixed_window', limit: 5, windowMs: 60_000, mode: 'enforce' }],
    quotas: [],
  });
  assert.equal(created.json?.version, 1);
  assert.deepEqual((await call('GET', `${PATH}/login`)).json, created.json);
  assert.deepEqual((await call('GET', PATH)).json, { items: [created.json], next: null });

  const rule = {
    kind: 'ip',
    ipv6Prefix: 56,
    identifyBy: 'header:X-User',
    onStoreFailure: 'closed',
    mode: 'shadow',
    limits: [
      { name: 'second', algorithm: 'sliding_log', limit: 10, windowMs: 1000, mode: 'enforce' },
      { name: 'hour', algorithm: 'gcra', limit: 9007199254740991, windowMs: 1, burst: 7, mode: 'off' },
    ],
    quotas: [
      {
        name: 'billing',
        limit: 9007199254740991,
        period: 'month',
        timeZone: 'Europe/Paris',
        anchor: { day: 31, time: '02:30' },
        mode: 'shadow',
      },
    ],
  };
  const replaced = await call('PUT', `${PATH}/login`, { body: { rule } });
  assert.equal(replaced.status, 200);
  assert.equal(replaced.json?.version, 2);
  assert.deepEqual((await call('GET', `${PATH}/login`)).json, replaced.json);
  const read = (await call('GET', `${PATH}/login`)).json?.rule as typeof rule;
  assert.deepEqual(
    { ...read, identifyBy: read.identifyBy.toLowerCase() },
    { ...rule, identifyBy: 'header:x-user' },
  );

  assert.equal((await call('DELETE', `${PATH}/login`)).status, 204);
  assert.deepEqual((await call('GET', PATH)).json, { items: [], next: null });
});

test('a change is decided by on this node as soon as it is acknowledged', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  const check = { body: { namespace: 'login', identifier: 'alice' } };
  assert.equal((await call('POST', '/v1/projects/shop/limit', check)).status, 404);
  await call('POST', PATH, { body: { name: 'login', rule: window(1) } });
  assert.equal((await call('POST', '/v1/projects/shop/limit', check)).json?.success, true);
  assert.equal((await call('POST', '/v1/projects/shop/limit', check)).json?.success, false);
  await call('PUT', `${PATH}/login`, { body: { rule: window(2) } });
  assert.equal((await call('POST', '/v1/projects/shop/limit', check)).json?.success, true);
  await call('DELETE', `${PATH}/login`);
  assert.equal((await call('POST', '/v1/projects/shop/limit', check)).status, 404);
});

test('a name that is taken is 409, an unknown namespace 404, and nothing changes', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  const { json } = await call('POST', PATH, { body: { name: 'login', rule: window(5) } });
  const taken = await call('POST', PATH, { body: { name: 'login', rule: window(6) } });
  assert.deepEqual([taken.status, taken.json?.code], [409, 'conflict']);
  for (const [method, body] of [['GET'], ['PUT', { rule: window(6) }], ['DELETE']] as const) {
    const { status, json: problem } = await call(method, `${PATH}/none`, { body });
    assert.deepEqual([status, problem?.code], [404, 'unknown_namespace'], method);
  }
  assert.deepEqual((await call('GET', PATH)).json, { items: [json], next: null });
});

test('B16: a limit of 0 is allowed and denies all of 1000 parallel checks', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  assert.equal((await call('POST', PATH, { body: { name: 'closed', rule: window(0) } })).status, 201);
  const check = { body: { namespace: 'closed', identifier: 'alice' } };
  const verdicts = await Promise.all(
    Array.from({ length: 1000 }, () => call('POST', '/v1/projects/shop/limit', check)),
  );
  assert.ok(
    verdicts.every(
      ({ status, json }) => status === 200 && json?.success === false && json.reason === 'limit',
    ),
  );
});

/** Written as JSON text, since 1e400 has no other form. */
for (const limit of ['-1', '1.5', '""', 'null', '1e400', '"5"', 'true', '[5]', '{}', '9007199254740993']) {
  test(`B16: a limit of ${limit} is refused with 400 naming it, and nothing is stored`, async (t) => {
    const call = await withProject(await startAdminPlane(t));
    const { json: before } = await call('POST', PATH, { body: { name: 'api', rule: window(5) } });
    const rule = `{"limits":[{"algorithm":"fixed_window","windowMs":60000,"limit":${limit}}]}`;
    const created = await call('POST', PATH, { rawBody: `{"name":"login","rule":${rule}}` });
    assert.deepEqual([created.status, created.json?.field], [400, 'rule.limits[0].limit'], created.text);
    const replaced = await call('PUT', `${PATH}/api`, { rawBody: `{"rule":${rule}}` });
    assert.deepEqual([replaced.status, replaced.json?.field], [400, 'rule.limits[0].limit'], replaced.text);
    assert.deepEqual((await call('GET', PATH)).json, { items: [before], next: null });
  });
}

const FAULTS: [string, string, string][] = [
  ['no rule', '{"name":"login"}', 'rule'],
  ['no name', '{"rule":{"limits":[]}}', 'name'],
  ['a rule that is a list', '{"name":"login","rule":[]}', 'rule'],
  ['a rule that is null', '{"name":"login","rule":null}', 'rule'],
  ['no limits', '{"name":"login","rule":{"limits":[]}}', 'rule.limits'],
  ['an unknown member', '{"name":"login","rule":{"limits":[]},"note":"x"}', 'note'],
  ['a body that is a list', '[]', 'body'],
  ['a body that is not JSON', '{"name":', 'body'],
  ['an empty body', '', 'body'],
  ['__proto__ in the body', '{"name":"login","rule":{},"__proto__":{"a":1}}', '__proto__'],
  ['a member twice', '{"name":"login","rule":{"limits":[]},"name":"other"}', 'name'],
  ['a member of a rule twice', '{"name":"login","rule":{"limits":[],"limits":[]}}', 'rule.limits'],
  [
    'a member of a limit twice',
    '{"name":"login","rule":{"limits":[{"limit":1},{"limit":2,"windowMs":1,"limit":3}]}}',
    'rule.limits[1].limit',
  ],
  [
    '__proto__ in a limit',
    '{"name":"login","rule":{"limits":[{"__proto__":{}}]}}',
    'rule.limits[0].__proto__',
  ],
];

for (const [what, rawBody, field] of FAULTS) {
  test(`a new namespace with ${what} is refused with 400 naming ${field}`, async (t) => {
    const call = await withProject(await startAdminPlane(t));
    const headers = { 'content-type': 'application/json' };
    const { status, json, text } = await call('POST', PATH, { rawBody, headers });
    assert.deepEqual([status, json?.code, json?.field], [400, 'bad_request', field], text);
    assert.deepEqual((await call('GET', PATH)).json, { items: [], next: null });
  });
}

test('the name can not be changed with PUT', async (t) => {
  const call = await withProject(await startAdminPlane(t));
  await call('POST', PATH, { body: { name: 'login', rule: window(5) } });
  const { status, json } = await call('PUT', `${PATH}/login`, { body: { name: 'other', rule: window(5) } });
  assert.deepEqual([status, json?.field], [400, 'name']);
});
