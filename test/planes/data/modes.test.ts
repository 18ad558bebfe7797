import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlane } from './plane-harness.ts';

const ANN = { namespace: 'api', identifier: 'ann' };
const ENFORCED = { name: 'now', algorithm: 'fixed_window', limit: 3, windowMs: 60_000 };
const TRIAL = { ...ENFORCED, name: 'trial', limit: 1, mode: 'shadow' };

test('a limit on trial counts and reports beside the enforced one, and never denies', async (t) => {
  const quotas = [{ limit: 1, period: 'day', mode: 'shadow' }];
  const plane = await startPlane(t, { namespaces: { api: { limits: [ENFORCED, TRIAL], quotas } } });
  const seen = [];
  for (let time = 0; time < 4; time++) {
    const { success, limits, shadow } = await plane.verdict(ANN);
    assert.deepEqual(
      [limits, shadow].map((list) => list.map(({ name }) => name)),
      [['now'], ['trial', 'day']],
    );
    seen.push([success, limits[0]?.remaining, ...shadow.flatMap((one) => [one.success, one.remaining])]);
  }
  assert.deepEqual(seen, [
    [true, 2, true, 0, true, 0],
    [true, 1, false, 0, false, 0],
    [true, 0, false, 0, false, 0],
    [false, 0, false, 0, false, 0],
  ]);
});

test('what is on trial does not show in headers', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: { limits: [ENFORCED, TRIAL] } } });
  await plane.post('/v1/limit', ANN);
  const { headers } = await plane.post('/v1/limit', ANN);
  assert.equal(headers['ratelimit-policy'], '"now";q=3;w=60');
  assert.match(String(headers.ratelimit), /^"now";r=1;t=\d+$/);
  assert.equal(headers['x-ratelimit-limit'], '3');
  assert.equal(headers['x-ratelimit-remaining'], '1');
  assert.equal(headers['retry-after'], undefined);
});

test('a rule on trial, or with nothing but trials, admits everything and has no headers of limits', async (t) => {
  const namespaces = {
    api: { mode: 'shadow', limits: [ENFORCED] },
    trials: { limits: [TRIAL] },
    off: { mode: 'off', limits: [ENFORCED], quotas: [{ limit: 1, period: 'day' }] },
  };
  const plane = await startPlane(t, { namespaces });
  for (const [namespace, shadowed] of [
    ['api', 1],
    ['trials', 1],
    ['off', 0],
  ] as const) {
    for (let time = 0; time < 5; time++) {
      const answer = await plane.post('/v1/limit', { namespace, identifier: 'ann' });
      const { success, limit, remaining, reset, reason, limits, shadow } = JSON.parse(answer.body);
      assert.deepEqual(
        [success, limit, remaining, reset, reason, limits],
        [true, null, null, null, null, []],
      );
      assert.equal(shadow.length, shadowed);
      assert.deepEqual(
        Object.keys(answer.headers).filter((name) => name.includes('ratelimit')),
        [],
      );
    }
  }
});

test('a limit that is off is neither counted nor shown', async (t) => {
  const limits = [ENFORCED, { ...TRIAL, mode: 'off' }];
  const plane = await startPlane(t, { namespaces: { api: { limits } } });
  const { limits: shown, shadow } = await plane.verdict(ANN);
  assert.deepEqual([shown.map(({ name }) => name), shadow], [['now'], []]);
});

test('leaky_bucket says how long to hold back, so that what passes is evenly spaced', async (t) => {
  const bucket = { algorithm: 'leaky_bucket', limit: 10, windowMs: 1000, burst: 3 };
  const namespaces = {
    api: { limits: [bucket] },
    token: { limits: [{ ...bucket, algorithm: 'token_bucket' }] },
    trial: { limits: [{ ...bucket, mode: 'shadow' }] },
  };
  const plane = await startPlane(t, { namespaces });
  const delays = async (namespace: string) => {
    const verdicts = [];
    for (let time = 0; time < 4; time++) verdicts.push(await plane.verdict({ ...ANN, namespace }));
    return verdicts.map(({ success, delayMs }) => (success ? delayMs : 'denied'));
  };
  assert.deepEqual(await delays('api'), [0, 100, 200, 'denied']);
  assert.deepEqual(await delays('token'), [0, 0, 0, 'denied']);
  assert.deepEqual(await delays('trial'), [0, 0, 0, 0]);
  plane.nowMs += 100;
  assert.deepEqual(await delays('api'), [200, 'denied', 'denied', 'denied']);
});
