import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type AdminHarness, startAdminPlane } from '../admin/admin-harness.ts';

const RULES = '/v1/projects/shop/rules';
const CHANGES = '/v1/projects/shop/changes';
const minute = (limit: number) => ({ name: 'minute', algorithm: 'fixed_window', limit, window: '1m' });
const shop = (limit: number, more: object = {}) => ({
  namespaces: { login: { limits: [minute(limit)], ...more } },
});

async function withProject(t: TestContext): Promise<AdminHarness> {
  const harness = await startAdminPlane(t);
  await harness.call('POST', '/v1/projects', { body: { name: 'shop' } });
  return harness;
}

test('rules are applied as one change, exported, and applied again without one', async (t) => {
  const { call, lines } = await withProject(t);
  const written = () => lines.filter(({ msg }) => msg === 'configuration changed').length;
  const before = written();
  const body = {
    project: 'shop',
    ...shop(2, {
      blocks: [{ match: 'eve', reason: 'x' }],
      overrides: [{ match: 'vip', limits: [{ limit: 50 }] }],
    }),
  };
  const planned = await call('PUT', `${RULES}?dryRun=true`, { body });
  assert.equal(planned.status, 200);
  assert.equal(planned.json?.summary, '1 namespace created, 1 block created, 1 override created');
  assert.equal(
    (await call('GET', '/v1/projects/shop/namespaces/login')).status,
    404,
    'a dry run changes nothing',
  );
  assert.equal(written(), before, 'nor is it logged as a change');

  const applied = await call('PUT', RULES, { body, headers: { 'x-brume-author': 'ada' } });
  assert.equal(applied.status, 200);
  assert.equal(applied.headers.etag, `"${applied.json?.revision}"`);
  assert.deepEqual(applied.json?.effects, [
    { namespace: 'login', limit: null, effect: 'new', text: 'counts begin at 0' },
  ]);

  const exported = await call('GET', RULES);
  assert.equal(exported.json?.revision, applied.json?.revision);
  assert.equal(exported.headers.etag, applied.headers.etag);
  const again = await call('PUT', `${RULES}?prune=true`, { body: exported.json?.rules });
  assert.deepEqual([again.json?.revision, again.json?.items], [applied.json?.revision, []]);
  const { json } = await call('GET', CHANGES);
  assert.deepEqual(
    listOf<{ author: string }>(json?.items).map(({ author }) => author),
    ['local:ada'],
  );
});

test('this node decides by a change and by a rollback as soon as it is acknowledged', async (t) => {
  const { call } = await withProject(t);
  const ask = async (identifier: string) => {
    const { json } = await call('POST', '/v1/projects/shop/limit', {
      body: { namespace: 'login', identifier },
    });
    return `${json?.success} ${json?.reason}`;
  };
  const first = await call('PUT', RULES, { body: shop(5) });
  assert.equal(await ask('eve'), 'true null');
  await call('PUT', RULES, {
    body: shop(5, { blocks: [{ match: 'eve' }], exemptions: [{ match: 'bot-*' }] }),
  });
  assert.equal(await ask('eve'), 'false blocked');
  assert.equal(await ask('bot-1'), 'true exempt');
  const back = await call('POST', `${CHANGES}/${first.json?.revision}/rollback`, { body: {} });
  assert.equal(back.status, 200);
  assert.equal(back.json?.summary, '1 block removed, 1 exemption removed');
  assert.equal(await ask('eve'), 'true null');
});

test('exact exceptions that changed are announced, at most 1,000 of a change', async (t) => {
  const announced: string[] = [];
  const harness = await startAdminPlane(t, (state) => ({
    limiter: {
      ...state.limiter,
      announce: async (namespace, identifier, revision) => {
        announced.push(`${namespace.name} ${identifier} ${revision}`);
      },
    },
  }));
  await harness.call('POST', '/v1/projects', { body: { name: 'shop' } });
  const ip = { kind: 'ip', limits: [minute(5)] };
  const blocks = [{ match: '2001:db8::7' }, { match: '198.51.100.0/24' }, { match: '::ffff:192.0.2.1' }];
  const { json } = await harness.call('PUT', RULES, { body: { namespaces: { login: { ...ip, blocks } } } });
  assert.deepEqual(announced.sort(), [
    `login 192.0.2.1 ${json?.revision}`,
    `login 2001:db8::/64 ${json?.revision}`,
  ]);
  announced.length = 0;
  const many = Array.from({ length: 1500 }, (_, index) => ({ match: `192.0.${index >> 8}.${index & 255}` }));
  await harness.call('PUT', RULES, { body: { namespaces: { login: { ...ip, blocks: many } } } });
  assert.equal(announced.length, 1000);
});

test('rules are judged again here: all faults are told with their members, and nothing changes', async (t) => {
  const { call } = await withProject(t);
  const { status, json } = await call('PUT', RULES, {
    body: {
      namespaces: { login: { limts: [], limits: [{ ...minute(1), limit: 9007199254740992 }] }, api: {} },
    },
  });
  assert.equal(status, 400);
  assert.equal(json?.field, 'namespaces.login.limts');
  assert.equal(
    json?.detail,
    'namespaces.login.limts is not a known member; did you mean limits? namespaces.login.limits[0].limit must be an integer from 0 to 9007199254740991. namespaces.api.limits must have at least one limit, or quotas a quota.',
  );
  for (const [body, field] of [
    [[], undefined],
    [{}, 'namespaces'],
    [{ project: 'other', namespaces: {} }, 'project'],
    [shop(1, { blocks: [{ match: 'a' }, { match: 'a' }] }), 'namespaces.login.blocks[1].match'],
  ] as const) {
    const answer = await call('PUT', RULES, { body });
    assert.deepEqual([answer.status, answer.json?.field], [400, field]);
  }
  const exported = await call('GET', RULES);
  assert.deepEqual(exported.json?.rules, { project: 'shop', namespaces: {} });
});

test('B18: numbers in the rules are exact to the last digit, or refused', async (t) => {
  const { call } = await withProject(t);
  const text = (limit: string) =>
    `{"namespaces":{"login":{"limits":[{"algorithm":"fixed_window","windowMs":1,"limit":${limit}}],"overrides":[{"match":"a","limits":[{"limit":${limit}}]}]}}}`;
  assert.equal((await call('PUT', RULES, { rawBody: text('9007199254740991') })).status, 200);
  assert.equal((await call('GET', RULES)).text.match(/"limit":9007199254740991/g)?.length, 2);
  assert.equal((await call('PUT', RULES, { rawBody: text('9007199254740993') })).status, 400);
});

test('a change that expects another revision is refused with 409 and changes nothing', async (t) => {
  const { call } = await withProject(t);
  const { json: first } = await call('PUT', RULES, { body: shop(1) });
  const { json: second } = await call('PUT', RULES, {
    body: shop(2),
    headers: { 'if-match': `"${first?.revision}"` },
  });
  const stale = { 'if-match': `"${first?.revision}"` };
  for (const path of [RULES, `${RULES}?dryRun=true`]) {
    const late = await call('PUT', path, { body: shop(3), headers: stale });
    assert.deepEqual([late.status, late.json?.code], [409, 'revision_conflict']);
  }
  const back = await call('POST', `${CHANGES}/${first?.revision}/rollback`, { body: {}, headers: stale });
  assert.deepEqual([back.status, back.json?.code], [409, 'revision_conflict']);
  assert.equal((await call('GET', RULES)).json?.revision, second?.revision);
  const odd = await call('PUT', RULES, { body: shop(3), headers: { 'if-match': 'W/"x"' } });
  assert.deepEqual([odd.status, odd.json?.field], [400, 'If-Match']);
});

test('history lists every change of the project with its author, in pages, and tells what each did', async (t) => {
  const { call } = await withProject(t);
  const revisions: unknown[] = [];
  for (const limit of [1, 2, 3]) {
    const { json } = await call('PUT', RULES, {
      body: shop(limit),
      headers: { 'x-brume-author': `n${limit}` },
    });
    revisions.unshift(json?.revision);
  }
  await call('DELETE', '/v1/projects/shop/namespaces/login');
  const all = (await call('GET', CHANGES)).json;
  const items = listOf<{ revision: number; author: string; summary: string; createdAt: string }>(all?.items);
  assert.deepEqual(
    items.slice(1).map(({ revision }) => revision),
    revisions,
  );
  assert.deepEqual(
    items.map(({ author }) => author),
    ['local:unknown', 'local:n3', 'local:n2', 'local:n1'],
  );
  assert.equal(items[0]?.summary, '1 namespace removed');
  assert.equal(all?.next, null);
  const page = (await call('GET', `${CHANGES}?limit=2`)).json;
  assert.equal(page?.next, items[1]?.revision);
  const rest = (await call('GET', `${CHANGES}?limit=3&before=${page?.next}`)).json;
  assert.deepEqual(rest?.items, items.slice(2));

  const change = (await call('GET', `${CHANGES}/${revisions[0]}`)).json;
  const [item] = listOf<{ before: { rule: object }; after: { rule: object } }>(change?.items);
  assert.deepEqual(Object(item?.before.rule).limits[0].limit, 2);
  assert.deepEqual(Object(item?.after.rule).limits[0].limit, 3);
  for (const path of [`${CHANGES}/99999`, `${CHANGES}/x`, `${CHANGES}/1e3`]) {
    assert.deepEqual([(await call('GET', path)).json?.code], ['unknown_revision']);
  }
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'before=-1', 'x=1']) {
    assert.equal((await call('GET', `${CHANGES}?${query}`)).status, 400, query);
  }
});

test('a project that is not there is not made', async (t) => {
  const { call } = await startAdminPlane(t);
  for (const [method, path] of [
    ['GET', RULES],
    ['PUT', RULES],
    ['GET', CHANGES],
    ['GET', `${CHANGES}/1`],
    ['POST', `${CHANGES}/1/rollback`],
  ] as const) {
    const answer = await call(
      method,
      path,
      method === 'GET' ? {} : { body: method === 'PUT' ? shop(1) : {} },
    );
    assert.deepEqual([answer.status, answer.json?.code], [404, 'unknown_project'], path);
  }
});

test('20,000 blocks are taken at once while checks are answered; a body of more than 16 MiB is 413', async (t) => {
  const { call } = await withProject(t);
  const blocks = Array.from({ length: 20_000 }, (_, index) => ({
    match: `user-${index}`,
    reason: 'x'.repeat(40),
  }));
  const asked: string[] = [];
  await call('PUT', RULES, { body: shop(1) });
  const applying = call('PUT', RULES, { body: shop(1, { blocks }) });
  for (let checks = 0; checks < 5; checks += 1) {
    const { status } = await call('POST', '/v1/projects/shop/peek', {
      body: { namespace: 'login', identifier: 'a' },
    });
    asked.push(String(status));
  }
  const applied = await applying;
  assert.equal(applied.json?.summary, '20000 blocks created');
  assert.deepEqual(asked, Array(5).fill('200'));
  const tooLarge = await call('PUT', RULES, {
    rawBody: `{"namespaces":{},"x":"${'x'.repeat(16 * 1024 * 1024)}"}`,
  });
  assert.deepEqual([tooLarge.status, tooLarge.json?.code], [413, 'payload_too_large']);
});

function listOf<Item>(value: unknown): Item[] {
  assert.ok(Array.isArray(value));
  return value;
}
