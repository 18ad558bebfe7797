import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createMetrics, type Metrics } from '../../../src/appliance/metrics.ts';
import { systemClock } from '../../../src/limiter/clock.ts';
import { parsedMetrics } from '../../support/parsed-metrics.ts';
import { type PlaneHarness, startPlane, window } from '../data/plane-harness.ts';

async function measuredPlane(t: TestContext, metricsChronosdbNames = false) {
  const config = { redisUrl: null, metricsChronosdbNames, topIdentifiers: true, connectionsMax: 10 };
  const metrics = createMetrics(config, systemClock);
  t.after(() => metrics.close());
  const plane = await startPlane(t, { metrics, namespaces: { api: window(2), one: window(1) } });
  return { plane, metrics };
}

async function samplesOf(metrics: Metrics, name: string): Promise<Record<string, number>> {
  const families = parsedMetrics(await metrics.registry.text('prometheus'), 'prometheus');
  return Object.fromEntries(families.get(name)?.samples ?? []);
}

const check = (identifier: string, namespace = 'api') => ({ namespace, identifier });

test('a request counts under its declared route and class of status, once it is answered', async (t) => {
  const { plane, metrics } = await measuredPlane(t);
  for (let n = 0; n < 3; n++) await plane.post('/v1/limit', check('ann'));
  await plane.post('/v1/limit', { namespace: 'api' });
  await plane.post('/v1/limit', check('ann'), { 'x-api-key': 'nonsense' });
  await plane.ask('/v1/auth/forward/one/some/path', { 'x-forwarded-for': '203.0.113.1' });
  await plane.post('/v1/nowhere', {});
  assert.deepEqual(await samplesOf(metrics, 'brume_requests_total'), {
    'brume_requests_total{plane="data",route="/v1/limit",status="2xx"}': 3,
    'brume_requests_total{plane="data",route="/v1/limit",status="4xx"}': 2,
    'brume_requests_total{plane="data",route="/v1/auth/forward/:namespace/*",status="2xx"}': 1,
    'brume_requests_total{plane="data",route="unmatched",status="4xx"}': 1,
  });
  const durations = await samplesOf(metrics, 'brume_request_duration_seconds');
  assert.equal(durations['brume_request_duration_seconds_count{plane="data",route="/v1/limit"}'], 5);
});

test('verdicts count by namespace and reason; a peek does not', async (t) => {
  const { plane, metrics } = await measuredPlane(t);
  for (let n = 0; n < 3; n++) await plane.post('/v1/limit', check('ann'));
  await plane.post('/v1/peek', check('ann'));
  await plane.post('/v1/limit/batch', { checks: [check('bob'), check('bob', 'one'), check('bob', 'one')] });
  const verdicts = await samplesOf(metrics, 'brume_verdicts_total');
  const of = (namespace: string, decision: string, reason: string) =>
    verdicts[
      `brume_verdicts_total{project="prj_1",namespace="${namespace}",decision="${decision}",reason="${reason}",degraded="false"}`
    ];
  assert.deepEqual([of('api', 'allowed', 'none'), of('api', 'denied', 'limit')], [3, 1]);
  assert.deepEqual([of('one', 'allowed', 'none'), of('one', 'denied', 'limit')], [1, 1]);
  const waits = await samplesOf(metrics, 'brume_store_duration_seconds');
  assert.equal(waits['brume_store_duration_seconds_count{store="embedded"}'], 7);
  assert.deepEqual(metrics.top?.top('ns_api', 1)?.busiest, [{ key: 'ann', count: 3, error: 0 }]);
});

test("ChronosDB's names are there if asked for, by the key's public id", async (t) => {
  const { plane, metrics } = await measuredPlane(t, true);
  for (let n = 0; n < 3; n++) await plane.post('/v1/limit', check('ann'));
  await plane.post('/v1/limit/batch', { checks: [check('bob'), check('ann')] });
  assert.deepEqual(await samplesOf(metrics, 'requests_allowed_total'), {
    'requests_allowed_total{api_key_id="key_1"}': 3,
  });
  assert.deepEqual(await samplesOf(metrics, 'requests_denied_total'), {
    'requests_denied_total{api_key_id="key_1"}': 2,
  });
  assert.ok(!(await metrics.registry.text('prometheus')).includes(plane.key));
});

test("without being asked for, ChronosDB's names are not there", async (t) => {
  const { plane, metrics } = await measuredPlane(t);
  await plane.post('/v1/limit', check('ann'));
  assert.doesNotMatch(await metrics.registry.text('prometheus'), /^(?!#|brume_)\S/m);
});

test('thousands of distinct paths, keys, hosts, methods and identifiers add fewer than 100 series', async (t) => {
  const { plane, metrics } = await measuredPlane(t, true);
  await plane.post('/v1/limit', check('ann'));
  const before = await seriesCount(metrics);
  for (let n = 0; n < 2000; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => strangeRequests(plane, n + index)));
  }
  const added = (await seriesCount(metrics)) - before;
  assert.ok(added < 100, `${added} series were added`);
});

const METHODS = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD'] as const;

async function strangeRequests({ app, key }: PlaneHarness, n: number): Promise<void> {
  const method = METHODS[n % METHODS.length] ?? 'GET';
  const strange = { host: `host-${n}.example`, 'user-agent': `agent ${n}` };
  await app.inject({ method, url: `/path-${n}/%2e%2e/x?q=${n}`, headers: strange });
  await app.inject({
    method,
    url: `/v1/auth/nginx/ns-${n}/rest/${n}`,
    headers: { ...strange, 'x-brume-key': `k${n}` },
  });
  await app.inject({
    method: 'POST',
    url: `/v1/limit?n=${n}`,
    headers: { ...strange, 'x-api-key': n % 2 === 0 ? key : `key-${n}` },
    payload: check(`user-${n}`),
  });
}

async function seriesCount(metrics: Metrics): Promise<number> {
  const families = parsedMetrics(await metrics.registry.text('prometheus'), 'prometheus');
  return [...families.values()].reduce((sum, { samples }) => sum + samples.size, 0);
}
