import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeBrume } from './fake-brume.ts';

const COUNTS = { allowed: 12, denied: 3, degraded: 1, cost: 40 };
const itemOf = (more: object = {}) => ({
  start: '2027-03-01T14:00:00.000Z',
  namespace: null,
  key: null,
  keyName: null,
  ...COUNTS,
  ...more,
});

test('usage asks for what was chosen, and shows whole pages as a table', async (t) => {
  const { calls, run } = await fakeBrume(t, ({ url }) => {
    const isSecond = url.searchParams.has('after');
    const namespace = isSecond ? 'login' : 'api';
    return [200, { items: [itemOf({ namespace })], next: isSecond ? null : 'more' }];
  });
  const options = ['--by', 'namespace', '--step', 'hour', '--from', '2027-03-01T00:00:00Z'];
  const { exitCode, stdout } = await run(['usage', 'shop', ...options, '--to', '2027-03-02T00:00:00Z']);
  assert.equal(exitCode, 0);
  assert.deepEqual(
    calls.map(({ method, url }) => [method, url.pathname, Object.fromEntries(url.searchParams).after]),
    [
      ['GET', '/v1/projects/shop/usage', undefined],
      ['GET', '/v1/projects/shop/usage', 'more'],
    ],
  );
  for (const { url } of calls) {
    const { after, ...query } = Object.fromEntries(url.searchParams);
    assert.deepEqual(query, {
      by: 'namespace',
      step: 'hour',
      from: '2027-03-01T00:00:00Z',
      to: '2027-03-02T00:00:00Z',
    });
  }
  assert.deepEqual(stdout.trim().split(/\n/), [
    'HOUR               NAMESPACE  ALLOWED  DENIED  DEGRADED  COST',
    '2027-03-01 14:00Z  api             12       3         1    40',
    '2027-03-01 14:00Z  login           12       3         1    40',
  ]);
});

test('usage by key names the keys, and those checks that had none', async (t) => {
  const items = [
    itemOf({ key: null }),
    itemOf({ key: 'key_1', keyName: 'web' }),
    itemOf({ key: 'key_gone' }),
  ];
  const { calls, run } = await fakeBrume(t, () => [200, { items, next: null }]);
  const { stdout } = await run(['usage', 'shop', '--by', 'key', '--key', 'key_1', '--namespace', 'api']);
  assert.deepEqual(Object.fromEntries(calls[0]?.url.searchParams ?? []), {
    by: 'key',
    key: 'key_1',
    namespace: 'api',
  });
  assert.match(stdout, /^2027-03-01 {2}\(without a key\) {2}- +12 /m);
  assert.match(stdout, /^2027-03-01 {2}web +key_1 +12 /m);
  assert.match(stdout, /^2027-03-01 {2}- +key_gone +12 /m);
  const json = await run(['usage', 'shop', '--json']);
  assert.deepEqual(JSON.parse(json.stdout), { items });
});

test('usage --last goes so far back, and not together with --from; nothing on record is said', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [200, { items: [], next: null }]);
  const { exitCode, stdout } = await run(['usage', 'shop', '--last', '7d']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /^No usage of shop is on record for this time\.$/m);
  const distanceMs = Date.now() - Date.parse(calls[0]?.url.searchParams.get('from') ?? '');
  assert.ok(Math.abs(distanceMs - 7 * 86_400_000) < 60_000, `${distanceMs} ms`);
  for (const wrong of [
    ['--last', '7d', '--from', '2027-03-01T00:00:00Z'],
    ['--by', 'moon'],
    ['--step', 'week'],
    ['--from', 'yesterday'],
  ]) {
    assert.equal((await run(['usage', 'shop', ...wrong])).exitCode, 2, wrong.join(' '));
  }
  assert.equal(calls.length, 1);
});
