import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/appliance/metrics.ts';
import { systemClock } from '../../../src/limiter/clock.ts';
import { call } from '../../support/http-call.ts';
import { problemIn, reasonedStatus, startPlane, window } from './plane-harness.ts';

const BODY = { namespace: 'api', identifier: 'ann' };
const namespaces = { api: window(3) };

test('a key makes as many calls as it may, allowed or denied; others are not touched by it', async (t) => {
  const plane = await startPlane(t, { namespaces, config: { actorRate: 1, actorBurst: 5 } });
  const other = plane.addKey();
  for (let n = 0; n < 5; n++) assert.equal((await plane.post('/v1/limit', BODY)).status, 200);
  const refused = await plane.post('/v1/limit', BODY);
  assert.deepEqual(problemIn(refused), { status: 429, code: 'throttled_actor' });
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal(plane.checks.length, 5);
  assert.equal((await plane.post('/v1/limit', BODY, { 'x-api-key': other })).status, 200);
  plane.nowMs += 1000;
  assert.equal((await plane.post('/v1/limit', BODY)).status, 200);
  assert.equal((await plane.post('/v1/limit', BODY)).status, 429);
});

test('a batch is one call, and so is what is refused for another reason', async (t) => {
  const plane = await startPlane(t, { namespaces, config: { actorRate: 1, actorBurst: 4 } });
  const checks = Array.from({ length: 50 }, () => BODY);
  assert.equal((await plane.post('/v1/limit/batch', { checks })).status, 200);
  assert.equal((await plane.post('/v1/limit', {})).status, 400);
  assert.equal((await plane.post('/v1/reset', BODY)).status, 403, 'the key lacks the scope');
  assert.equal((await plane.post('/v1/limit', { ...BODY, namespace: 'none' })).status, 404);
  assert.equal((await plane.post('/v1/limit', BODY)).status, 429);
  assert.equal((await call(`${plane.url}/ready`)).status, 200);
});

test('a project has its calls of the day, by whichever key, and is told when the next begins', async (t) => {
  const plane = await startPlane(t, { namespaces, budget: 4 });
  const other = plane.addKey();
  const stranger = plane.addKey({ projectId: 'prj_2' });
  for (let n = 0; n < 4; n++) {
    const headers = n % 2 === 0 ? {} : { 'x-api-key': other };
    assert.equal((await plane.post('/v1/limit', BODY, headers)).status, 200);
  }
  const refused = await plane.post('/v1/limit', BODY, { 'x-api-key': other });
  assert.deepEqual(problemIn(refused), { status: 429, code: 'budget_exhausted' });
  const untilMidnightMs = 86_400_000 - (plane.nowMs % 86_400_000);
  assert.equal(refused.headers['retry-after'], String(untilMidnightMs / 1000));
  assert.equal(problemIn(await plane.post('/v1/limit', BODY, { 'x-api-key': stranger })).status, 404);
  plane.nowMs += untilMidnightMs;
  assert.equal((await plane.post('/v1/limit', BODY)).status, 200);
});

test('a throttled forward-auth call is 403 with the reason for nginx, and 429 for the others', async (t) => {
  for (const [setUp, code] of [
    [{ namespaces, config: { actorRate: 1, actorBurst: 1 } }, 'throttled_actor'],
    [{ namespaces, budget: 1 }, 'budget_exhausted'],
  ] as const) {
    const plane = await startPlane(t, setUp);
    const client = { 'x-forwarded-for': '203.0.113.1' };
    assert.equal((await plane.ask('/v1/auth/nginx/api', client)).status, 200);
    const nginx = await plane.ask('/v1/auth/nginx/api', client);
    assert.deepEqual(reasonedStatus(nginx), [403, 'throttled']);
    const forward = await plane.ask('/v1/auth/forward/api', client);
    assert.deepEqual(problemIn(forward), { status: 429, code });
    for (const { headers } of [nginx, forward]) assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
    assert.equal(plane.checks.length, 1);
  }
});

test('throttled requests are counted by what turned them away', async (t) => {
  const config = { redisUrl: null, metricsChronosdbNames: false, topIdentifiers: false, connectionsMax: 10 };
  const metrics = createMetrics(config, systemClock);
  t.after(() => metrics.close());
  const plane = await startPlane(t, {
    namespaces,
    metrics,
    budget: 2,
    config: { actorRate: 1, actorBurst: 3, addressRate: 1, addressBurst: 1, trustedProxies: [] },
  });
  for (let n = 0; n < 6; n++) await plane.post('/v1/limit', BODY);
  await plane.post('/v1/limit', BODY, { 'x-api-key': 'x' });
  await plane.post('/v1/limit', BODY, { 'x-api-key': 'x' });
  const text = await metrics.registry.text('prometheus');
  for (const [by, count] of [
    ['address', 1],
    ['actor', 3],
    ['budget', 1],
  ])
    assert.ok(text.includes(`brume_throttled_requests_total{by="${by}"} ${count}\n`), text);
});
