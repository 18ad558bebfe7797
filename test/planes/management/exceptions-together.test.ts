import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACE, plane } from './exceptions-plane.ts';

test('an import is all or nothing, and names the entry that is in the way', async (t) => {
  const { call, store, announced } = await plane(t);
  await call('POST', `${NAMESPACE}/blocks`, { body: { match: 'b' } });
  const entries = [{ match: 'a' }, { match: 'b', reason: 'new' }, { match: 'c*' }];
  const refused = await call('POST', `${NAMESPACE}/blocks/import`, { body: { entries } });
  assert.deepEqual(
    [refused.status, refused.json?.code, refused.json?.field],
    [409, 'conflict', 'entries[1].match'],
  );
  assert.match(String(refused.json?.detail), /^A block of b by local:unknown holds since .*With replace/);
  assert.equal(store.all.length, 1);

  const done = await call('POST', `${NAMESPACE}/blocks/import`, { body: { entries, replace: true } });
  assert.deepEqual([done.status, done.json], [200, { added: 2, replaced: 1 }]);
  assert.deepEqual(announced.length, 3);
});

test('a thousand entries come in one call, one more is refused', async (t) => {
  const { call } = await plane(t);
  const entries = Array.from({ length: 1001 }, (_, index) => ({
    match: `${'é'.repeat(240)}${index}`,
    reason: 'é'.repeat(500),
  }));
  const path = `${NAMESPACE}/blocks/import`;
  const many = await call('POST', path, { body: { entries } });
  assert.deepEqual([many.status, many.json?.field], [400, 'entries']);
  const done = await call('POST', path, { body: { entries: entries.slice(1) } });
  assert.deepEqual([done.status, done.json], [200, { added: 1000, replaced: 0 }]);
});

test('explain tells which exception decides and why the others do not', async (t) => {
  const { call, time } = await plane(t, 'ip');
  const add = (collection: string, body: object) => call('POST', `${NAMESPACE}/${collection}`, { body });
  await add('blocks', { match: '203.0.113.0/24' });
  await add('exemptions', { match: '203.0.113.7' });
  await add('overrides', { match: '203.0.113.7', limits: [{ limit: 100 }] });
  await add('blocks', { match: '203.0.113.7', expiresAt: '2026-07-01T12:01:00Z' });
  await add('blocks', { match: '203.0.114.0/24' });
  const explain = async (identifier: string) => {
    const { json } = await call(
      'GET',
      `${NAMESPACE}/exceptions/explain?${new URLSearchParams({ identifier })}`,
    );
    const { kind, match } = Object(json?.decides);
    const others = Object(json?.others).map((other: Record<string, unknown>) => [
      other.kind,
      other.match,
      other.because,
    ]);
    return { decides: [kind, match], others };
  };
  assert.deepEqual(await explain('::ffff:203.0.113.7'), {
    decides: ['block', '203.0.113.7'],
    others: [
      ['exemption', '203.0.113.7', 'weaker_kind'],
      ['override', '203.0.113.7', 'weaker_kind'],
      ['block', '203.0.113.0/24', 'less_exact'],
    ],
  });
  time.nowMs += 60_000;
  assert.deepEqual(await explain('203.0.113.7'), {
    decides: ['exemption', '203.0.113.7'],
    others: [
      ['block', '203.0.113.7', 'expired'],
      ['override', '203.0.113.7', 'weaker_kind'],
      ['block', '203.0.113.0/24', 'less_exact'],
    ],
  });
  assert.deepEqual(await explain('198.51.100.1'), { decides: [undefined, undefined], others: [] });
});

test('explain tells which parts of an override have no effect since the rule has changed', async (t) => {
  const { call } = await plane(t);
  const gcra = (name: string) => ({ name, algorithm: 'gcra', limit: 5, windowMs: 60_000 });
  const window = (name: string) => ({ ...gcra(name), algorithm: 'sliding_window' });
  const setRule = async (...limits: object[]) => {
    const { headers } = await call('GET', NAMESPACE);
    const ifMatch = { 'if-match': String(headers.etag) };
    const { status, text } = await call('PUT', NAMESPACE, { body: { rule: { limits } }, headers: ifMatch });
    assert.equal(status, 200, text);
  };
  await setRule(gcra('minute'), gcra('hour'));
  const limits = [
    { name: 'minute', limit: 9, burst: 3 },
    { name: 'hour', limit: 50 },
  ];
  const added = await call('POST', `${NAMESPACE}/overrides`, { body: { match: 'ann', limits } });
  assert.equal(added.status, 201, added.text);
  const vain = async () => {
    const { json } = await call('GET', `${NAMESPACE}/exceptions/explain?identifier=ann`);
    return json?.withoutEffect;
  };
  assert.deepEqual(await vain(), []);
  await setRule(window('minute'), gcra('day'));
  assert.deepEqual(await vain(), [
    { name: 'hour', members: [] },
    { name: 'minute', members: ['burst'] },
  ]);
});

test('rivals of an exception are those that do something else and win over it for some', async (t) => {
  const { call } = await plane(t, 'ip');
  const add = async (collection: string, match: string, more: object = {}) => {
    const { headers } = await call('POST', `${NAMESPACE}/${collection}`, { body: { match, ...more } });
    return String(headers.location);
  };
  const rivals = async (location: string) => {
    const { json, text } = await call('GET', `${location}/rivals`);
    assert.equal(json?.isWhole, true, text);
    return Object(json?.items).map((item: Record<string, unknown>) => [item.kind, item.match]);
  };
  const wide = await add('blocks', '203.0.112.0/22');
  const office = await add('exemptions', '203.0.113.0/24');
  await add('exemptions', '203.0.0.0/16');
  await add('blocks', '203.0.113.9');
  await add('overrides', '203.0.112.1', { limits: [{ limit: 1 }] });
  assert.deepEqual(await rivals(wide), [
    ['exemption', '203.0.113.0/24'],
    ['override', '203.0.112.1'],
  ]);
  assert.deepEqual(await rivals(office), [['block', '203.0.113.9']]);
  const one = await add('exemptions', '203.0.113.9');
  assert.deepEqual(await rivals(one), [['block', '203.0.113.9']]);
  await add('blocks', '2001:db8::1');
  assert.deepEqual(await rivals(await add('blocks', '198.51.100.0/24')), []);
});

test('patterns are rivals where some text matches both', async (t) => {
  const { call } = await plane(t);
  const add = async (collection: string, match: string) => {
    const { headers } = await call('POST', `${NAMESPACE}/${collection}`, { body: { match } });
    return String(headers.location);
  };
  const block = await add('blocks', 'user-*');
  for (const match of ['user-4*', '*@example', 'bot-12345*', 'user-7', 'admin-7', 'u*'])
    await add('exemptions', match);
  const { json } = await call('GET', `${block}/rivals`);
  const matches = Object(json?.items).map((item: Record<string, unknown>) => item.match);
  assert.deepEqual(matches, ['*@example', 'user-4*', 'user-7']);
});
