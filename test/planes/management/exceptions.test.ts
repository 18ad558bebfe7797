import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACE, plane } from './exceptions-plane.ts';

test('a block is added, listed, read, changed and removed; the author is who asked', async (t) => {
  const { call } = await plane(t);
  const headers = { 'x-brume-author': 'anna' };
  const body = { match: 'user-42', reason: 'abuse', expiresAt: '2026-07-01T16:00:00+02:00' };
  const added = await call('POST', `${NAMESPACE}/blocks`, { body, headers });
  assert.equal(added.status, 201, added.text);
  const { id, ...rest } = added.json ?? {};
  assert.equal(added.headers.location, `${NAMESPACE}/blocks/${id}`);
  assert.deepEqual(rest, {
    kind: 'block',
    match: 'user-42',
    reason: 'abuse',
    author: 'local:anna',
    version: 1,
    createdAt: '2026-07-01T12:00:00.000Z',
    updatedAt: '2026-07-01T12:00:00.000Z',
    expiresAt: '2026-07-01T14:00:00.000Z',
  });
  const path = String(added.headers.location);
  assert.deepEqual((await call('GET', path)).json, added.json);
  assert.deepEqual((await call('GET', `${NAMESPACE}/blocks`)).json, { items: [added.json], next: null });
  assert.deepEqual((await call('GET', `${NAMESPACE}/exemptions`)).json, { items: [], next: null });

  const changed = await call('PUT', path, { body: { reason: 'for good' } });
  assert.deepEqual(
    [changed.status, changed.json?.id, changed.json?.match, changed.json?.reason, changed.json?.expiresAt],
    [200, id, 'user-42', 'for good', null],
  );
  assert.equal(changed.json?.author, 'local:unknown');

  const removed = await call('DELETE', path);
  assert.deepEqual([removed.status, removed.json], [200, changed.json]);
  for (const method of ['GET', 'DELETE']) {
    const again = await call(method, path);
    assert.deepEqual([again.status, again.json?.code], [404, 'unknown_exception'], method);
  }
  assert.deepEqual((await call('PUT', path, { body: {} })).status, 404);
  assert.deepEqual((await call('GET', `${NAMESPACE}/blocks`)).json, { items: [], next: null });
});

test('what is there already is 409 that says since when and until when, and that replace takes its place', async (t) => {
  const { call, time } = await plane(t);
  const body = { match: 'user-42', expiresAt: '2026-07-01T14:00:00Z' };
  const first = await call('POST', `${NAMESPACE}/blocks`, { body });
  time.nowMs += 60_000;
  const taken = await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'user-42' } });
  assert.deepEqual([taken.status, taken.json?.code, taken.json?.field], [409, 'conflict', 'match']);
  const { detail } = taken.json ?? {};
  assert.equal(
    detail,
    'A block of user-42 by local:unknown holds since 2026-07-01T12:00:00.000Z, until 2026-07-01T14:00:00.000Z. With replace the new one takes its place.',
  );
  assert.deepEqual((await call('GET', `${NAMESPACE}/blocks`)).json?.items, [first.json]);

  const replaced = await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'user-42', replace: true } });
  assert.deepEqual(
    [replaced.status, replaced.json?.id, replaced.json?.createdAt, replaced.json?.expiresAt],
    [201, first.json?.id, first.json?.createdAt, null],
  );
  const endless = await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'user-42', replace: false } });
  assert.match(String(endless.json?.detail), /, until it is removed\./);
  const other = await call('POST', `${NAMESPACE}/exemptions`, { body: { match: 'user-42' } });
  assert.equal(other.status, 201, 'another kind for the same match');
});

test('one that has expired is in no one’s way; it is listed only when asked for', async (t) => {
  const { call, time } = await plane(t);
  const body = { match: 'user-42', expiresAt: '2026-07-01T12:00:01Z' };
  await call('POST', `${NAMESPACE}/blocks`, { body });
  time.nowMs += 1000;
  assert.deepEqual((await call('GET', `${NAMESPACE}/blocks`)).json?.items, []);
  const all = await call('GET', `${NAMESPACE}/blocks?expired=true`);
  assert.equal(Object(all.json?.items).length, 1);
  assert.equal((await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'user-42' } })).status, 201);
});

test('a match is found in whatever spelling and whatever characters: slashes, stars, blanks, emoji', async (t) => {
  const { call } = await plane(t);
  for (const match of [
    'https://a.example/x?y=1&z=%2F#f',
    'a b',
    '用户🙂',
    '100%',
    'a+b',
    '\\*',
    'user-*',
    '../..',
  ]) {
    const added = await call('POST', `${NAMESPACE}/overrides`, { body: { match, limits: [{ limit: 9 }] } });
    assert.equal(added.status, 201, added.text);
    const { json } = await call('GET', `${NAMESPACE}/overrides?${new URLSearchParams({ match })}`);
    assert.deepEqual(json, { items: [added.json], next: null });
    assert.equal((await call('DELETE', String(added.headers.location))).status, 200);
  }
});

test('in a namespace of kind ip one spelling of an address is as good as another', async (t) => {
  const { call, announced } = await plane(t, 'ip');
  const added = await call('POST', `${NAMESPACE}/blocks`, { body: { match: '2001:DB8::0:1' } });
  assert.equal(added.json?.match, '2001:db8::1');
  for (const spelling of ['2001:db8::1', '2001:db8:0:0:0:0:0:1/128']) {
    const { json } = await call('GET', `${NAMESPACE}/blocks?match=${spelling}`);
    assert.deepEqual(json?.items, [added.json], spelling);
  }
  assert.deepEqual(announced, [['login', '2001:db8::/64', 1]]);
});

test('a change for one identifier is announced to all nodes, one for a pattern is not', async (t) => {
  const { call, announced } = await plane(t);
  const star = await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'a\\*b' } });
  assert.equal(star.status, 201, star.text);
  const path = String(star.headers.location);
  await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'a*' } });
  await call('PUT', path, { body: {} });
  await call('DELETE', path);
  assert.deepEqual(announced, [
    ['login', 'a*b', 1],
    ['login', 'a*b', 3],
    ['login', 'a*b', 4],
  ]);
});

test('a list goes on behind its last page', async (t) => {
  const { call } = await plane(t);
  const entries = Array.from({ length: 5 }, (_, index) => ({ match: `user-${index}` }));
  await call('POST', `${NAMESPACE}/exemptions/import`, { body: { entries } });
  const seen: unknown[] = [];
  for (let after = ''; ; ) {
    const { json, text } = await call('GET', `${NAMESPACE}/exemptions?limit=2${after}`);
    for (const item of Object(json?.items)) seen.push(item.match);
    if (json?.next === null) break;
    assert.ok(seen.length < 6, text);
    after = `&${new URLSearchParams({ after: String(json?.next) })}`;
  }
  assert.deepEqual(
    seen,
    entries.map(({ match }) => match),
  );
});

const FAULTS: [string, string, unknown, string][] = [
  ['POST', 'blocks', {}, 'match'],
  ['POST', 'blocks', { match: '' }, 'match'],
  ['POST', 'blocks', { match: '   ' }, 'match'],
  ['POST', 'blocks', { match: 'x', expiresAt: '2026-07-01T12:00:00Z' }, 'expiresAt'],
  ['POST', 'blocks', { match: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
  ['POST', 'blocks', { match: 'x', reason: 'a\nb' }, 'reason'],
  ['POST', 'blocks', { match: 'x', limits: [{ limit: 1 }] }, 'limits'],
  ['POST', 'blocks', { match: 'x', replace: 'yes' }, 'replace'],
  ['POST', 'blocks', { match: 'x', note: 1 }, 'note'],
  ['POST', 'overrides', { match: 'x' }, 'limits'],
  ['POST', 'overrides', { match: 'x', limits: [{ name: 'nosuch', limit: 1 }] }, 'limits[0].name'],
  ['POST', 'overrides', { match: 'x', limits: [{ limit: '5' }] }, 'limits[0].limit'],
  ['POST', 'blocks/import', { entries: [] }, 'entries'],
  ['POST', 'blocks/import', { entries: [{ match: 'a' }, { match: '' }] }, 'entries[1].match'],
  [
    'POST',
    'blocks/import',
    { entries: [{ match: 'a' }, { match: 'b' }, { match: 'a' }] },
    'entries[2].match',
  ],
  ['GET', 'blocks?limit=0', undefined, 'limit'],
  ['GET', 'blocks?limit=1001', undefined, 'limit'],
  ['GET', 'blocks?expired=yes', undefined, 'expired'],
  ['GET', 'blocks?mach=x', undefined, 'mach'],
  ['GET', 'blocks?match=', undefined, 'match'],
  ['GET', 'exceptions/explain', undefined, 'identifier'],
  ['GET', 'exceptions/explain?identifier=', undefined, 'identifier'],
];

test('what is wrong is 400 that names the member, and nothing is stored', async (t) => {
  const { call, store } = await plane(t);
  for (const [method, path, body, field] of FAULTS) {
    const { status, json, text } = await call(method, `${NAMESPACE}/${path}`, { body });
    assert.deepEqual([status, json?.code, json?.field], [400, 'bad_request', field], `${path} ${text}`);
  }
  assert.deepEqual(store.all, []);
});

test('the match of an exception can not be changed', async (t) => {
  const { call } = await plane(t);
  const added = await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'a' } });
  const { status, json } = await call('PUT', String(added.headers.location), { body: { match: 'b' } });
  assert.deepEqual([status, json?.field], [400, 'match']);
});

test('what is not there is 404: project, namespace, exception, an exception of another kind', async (t) => {
  const { call } = await plane(t);
  const added = await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'a' } });
  const cases = [
    ['/v1/projects/none/namespaces/login/blocks', 'unknown_project'],
    ['/v1/projects/shop/namespaces/none/blocks', 'unknown_namespace'],
    [`${NAMESPACE}/blocks/ex_none`, 'unknown_exception'],
    [`${NAMESPACE}/blocks/%00`, 'unknown_exception'],
    [`${NAMESPACE}/overrides/${added.json?.id}`, 'unknown_exception'],
  ];
  for (const [path = '', code] of cases) {
    const { status, json } = await call('GET', path);
    assert.deepEqual([status, json?.code], [404, code], path);
  }
});

test('no match and no reason stands in the log: they may be personal data', async (t) => {
  const { call, lines } = await plane(t);
  const body = { match: 'secret-person', reason: 'secret-reason' };
  const added = await call('POST', `${NAMESPACE}/blocks`, { body });
  await call('GET', `${NAMESPACE}/blocks?match=secret-person`);
  await call('DELETE', String(added.headers.location));
  assert.ok(!JSON.stringify(lines).includes('secret'), JSON.stringify(lines));
  assert.ok(JSON.stringify(lines).includes(String(added.json?.id)));
});
