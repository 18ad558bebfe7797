import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { OtelTracing } from '../../../src/telemetry/tracing/otel-tracing.ts';
import { startPlane, window } from '../../planes/data/plane-harness.ts';
import { startCollector } from '../../support/otlp-collector.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function tracedPlane(t: Parameters<typeof startPlane>[0], trustedProxies: string[], sampleRatio = 1) {
  const collector = await startCollector(t);
  const tracing = new OtelTracing({
    endpoint: collector.url,
    headers: {},
    sampleRatio,
    version: '1',
    log: createLogger({ level: 'error' }),
    clock: systemClock,
  });
  const plane = await startPlane(t, {
    tracing,
    namespaces: { api: window(1) },
    config: { trustedProxies, accessLog: { mode: 'all' } },
  });
  return { collector, plane, flush: () => tracing.close(5000) };
}

test('a span says what was decided, and never for whom, by which key or at which address', async (t) => {
  const { collector, plane, flush } = await tracedPlane(t, []);
  const check = { namespace: 'api', identifier: 'ann@example.org' };
  await plane.post('/v1/limit?secret=1', check);
  await plane.post('/v1/limit', check);
  await plane.post('/v1/limit/batch', { checks: [check, { ...check, identifier: 'bob' }] });
  await plane.ask('/v1/auth/nginx/api/some/path', { 'x-forwarded-for': '203.0.113.7' });
  await plane.post('/nowhere/ann@example.org', {});
  await flush();

  const seen = collector.spans.map(({ name, attributes: { 'brume.plane': place, ...more } }) => [
    name,
    more,
    place,
  ]);
  const basics = (route: string, status = 200) => ({
    'http.request.method': 'POST',
    'http.response.status_code': status,
    'http.route': route,
  });
  const verdict = { 'brume.namespace': 'api', 'brume.decision': 'allowed', 'brume.degraded': false };
  assert.deepEqual(seen, [
    ['POST /v1/limit', { ...basics('/v1/limit'), ...verdict }, 'data'],
    [
      'POST /v1/limit',
      { ...basics('/v1/limit'), ...verdict, 'brume.decision': 'denied', 'brume.reason': 'limit' },
      'data',
    ],
    [
      'POST /v1/limit/batch',
      { ...basics('/v1/limit/batch'), 'brume.checks': 2, 'brume.checks_denied': 1, 'brume.degraded': false },
      'data',
    ],
    [
      'GET /v1/auth/nginx/:namespace/*',
      { ...basics('/v1/auth/nginx/:namespace/*'), ...verdict, 'http.request.method': 'GET' },
      'data',
    ],
    ['POST', { 'http.request.method': 'POST', 'http.response.status_code': 404 }, 'data'],
  ]);
  assert.doesNotMatch(collector.text, /ann|bob|secret|203\.0\.113|some|127\.0\.0\.1/);
  assert.ok(!collector.text.includes(plane.key));
});

test('the access log names the trace of a trusted proxy, also one that is not recorded', async (t) => {
  const { collector, plane, flush } = await tracedPlane(t, ['127.0.0.1/32'], 0);
  const check = { namespace: 'api', identifier: 'ann' };
  await plane.post('/v1/limit', check, { traceparent: parent });
  await plane.post('/v1/limit', check, { traceparent: parent.replace(/01$/, '00') });
  await plane.post('/v1/limit', check);
  await flush();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  assert.deepEqual(
    plane.logLines.filter(({ msg }) => msg === 'request').map((line) => line.traceId),
    [traceId, traceId, undefined],
  );
  assert.deepEqual(
    collector.spans.map((span) => [span.traceId, span.parentSpanId]),
    [[traceId, 'b7ad6b7169203331']],
  );
});

test("a client's own trace is not continued", async (t) => {
  const { collector, plane, flush } = await tracedPlane(t, []);
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' }, { traceparent: parent });
  await flush();
  const { traceId, parentSpanId, links } = collector.sole('POST /v1/limit');
  assert.notEqual(traceId, '0af7651916cd43dd8448eb211c80319c');
  assert.deepEqual([parentSpanId, links], [undefined, ['0af7651916cd43dd8448eb211c80319c']]);
});

test('a fault of ours is a fault in the trace, without its text', async (t) => {
  const { collector, plane, flush } = await tracedPlane(t, []);
  plane.judge = () => Promise.reject(new Error('about ann'));
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  await flush();
  const { isFault, attributes } = collector.sole('POST /v1/limit');
  assert.deepEqual([isFault, attributes['http.response.status_code']], [true, 500]);
  assert.doesNotMatch(collector.text, /ann/);
});
