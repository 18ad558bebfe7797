import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlane, window } from './plane-harness.ts';

const ANN = { namespace: 'api', identifier: 'ann' };
const DAY_S = 86_400;
const at = (time: string) => Date.parse(time);

test('a quota denies with its reason until its period ends, and the next one is whole', async (t) => {
  const quotas = [{ limit: 2, period: 'month', timeZone: 'Europe/Paris', anchor: { day: 31 } }];
  const plane = await startPlane(t, { namespaces: { api: { quotas } } });
  plane.nowMs = at('2027-02-27T22:59:59Z');
  for (const remaining of [1, 0]) assert.equal((await plane.verdict(ANN)).remaining, remaining);
  const denied = await plane.verdict(ANN);
  // 31 means the last day of February.
  assert.deepEqual(
    [denied.success, denied.reason, denied.reset, denied.retryAfter],
    [false, 'quota', at('2027-02-27T23:00:00Z'), 1],
  );
  const [limit] = denied.limits;
  assert.deepEqual([limit?.name, limit?.algorithm, limit?.period], ['month', 'quota', 'month']);
  assert.equal(limit?.windowMs, 28 * DAY_S * 1000);
  plane.nowMs += 1000;
  assert.equal((await plane.verdict(ANN)).remaining, 1);
});

test('w of a quota is its present period, and absent where it has none', async (t) => {
  const timeZone = 'Europe/Paris';
  const quotas = [
    { limit: 100, period: 'day', timeZone },
    { limit: 1000, period: 'month', timeZone },
    { limit: 5000, period: 'never' },
  ];
  const plane = await startPlane(t, { namespaces: { api: { quotas } } });
  const policyAt = async (time: string) => {
    plane.nowMs = at(time);
    return String((await plane.post('/v1/limit', ANN)).headers['ratelimit-policy']);
  };
  const expected = (dayS: number, monthS: number) =>
    `"day";q=100;w=${dayS}, "month";q=1000;w=${monthS}, "never";q=5000`;
  assert.equal(await policyAt('2027-01-15T08:00:00Z'), expected(DAY_S, 31 * DAY_S));
  assert.equal(await policyAt('2027-02-15T08:00:00Z'), expected(DAY_S, 28 * DAY_S));
  // Clocks go forward: the day has 23 hours, and the month an hour less.
  assert.equal(await policyAt('2027-03-28T08:00:00Z'), expected(DAY_S - 3600, 31 * DAY_S - 3600));
});

test('where a quota never ends, nobody is told to wait', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: { quotas: [{ limit: 1, period: 'never' }] } } });
  await plane.verdict(ANN);
  const answer = await plane.post('/v1/limit', ANN);
  const { reason, reset, retryAfter, limits } = JSON.parse(answer.body);
  assert.deepEqual([reason, reset, retryAfter, limits[0].windowMs], ['quota', null, null, null]);
  assert.equal(answer.headers['retry-after'], undefined);
  assert.equal(answer.headers['x-ratelimit-reset'], undefined);
  assert.equal(answer.headers.ratelimit, '"never";r=0');
});

test('limits and quotas are consumed together or not at all', async (t) => {
  const rule = window(10, { quotas: [{ limit: 3, period: 'day' }] });
  const plane = await startPlane(t, { namespaces: { api: rule } });
  await plane.verdict({ ...ANN, cost: 2 });
  const denied = await plane.verdict({ ...ANN, cost: 2 });
  assert.deepEqual([denied.success, denied.reason], [false, 'quota']);
  assert.deepEqual(
    denied.limits.map(({ name, success, remaining }) => [name, success, remaining]),
    [
      ['default', true, 8],
      ['day', false, 1],
    ],
  );
});

test('B18: the largest limit is counted and shown exactly', async (t) => {
  const limit = 9007199254740991;
  const plane = await startPlane(t, { namespaces: { api: { quotas: [{ limit, period: 'never' }] } } });
  const answer = await plane.post('/v1/limit', { ...ANN, cost: limit - 1 });
  assert.ok(answer.body.includes('"limit":9007199254740991,"remaining":1,'), answer.body);
  assert.equal(answer.headers['x-ratelimit-limit'], '9007199254740991');
  assert.equal((await plane.verdict(ANN)).remaining, 0);
  assert.equal((await plane.verdict(ANN)).success, false);
});
