import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify, { type RouteOptions } from 'fastify';
import { createMetrics } from '../../../src/appliance/metrics.ts';
import { CATALOGUE } from '../../../src/errors/catalogue.ts';
import { systemClock } from '../../../src/limiter/clock.ts';
import { routeConfig } from '../../../src/planes/hooks/route-config.ts';
import { call } from '../../support/http-call.ts';
import { traceHooks, watchStart } from '../../support/trace-hooks.ts';
import { problemIn, startPlane, window } from './plane-harness.ts';

test('a request meets the hooks in the order of the contract', async (t) => {
  const trace: string[] = [];
  watchStart(t, (app) => traceHooks(app, trace));
  const config = { redisUrl: null, metricsChronosdbNames: false, topIdentifiers: false, connectionsMax: 10 };
  const metrics = createMetrics(config, systemClock);
  t.after(() => metrics.close());
  const plane = await startPlane(t, {
    metrics,
    namespaces: { api: window(10) },
    config: { addressRate: 100, actorRate: 100 },
  });
  plane.judge = async () => {
    trace.push('handler');
    throw new Error('seen enough');
  };

  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.deepEqual(trace, [
    'allowOrigins',
    'setDeadline',
    'setSecurityHeaders',
    'limitBody',
    'setRequestId',
    'filterAddress',
    'authenticate',
    'limitActor',
    'chargeBudget',
    'authorise',
    'inviteBody',
    'handler',
    'countResponse',
    'logAccess',
  ]);

  trace.length = 0;
  await plane.ask('/v1/auth/nginx/api', { 'x-forwarded-for': '203.0.113.1' });
  assert.deepEqual(trace, [
    'allowOrigins',
    'setDeadline',
    'setSecurityHeaders',
    'limitBody',
    'setRequestId',
    'filterAddress',
    'authenticate',
    'limitActor',
    'chargeBudget',
    'authorise',
    'inviteBody',
    'handler',
    'noteRefusal',
    'countResponse',
    'logAccess',
  ]);
});

test('a request meets the trace behind the body limit and before the metrics', async (t) => {
  const trace: string[] = [];
  watchStart(t, (app) => traceHooks(app, trace));
  const plane = await startPlane(t, {
    namespaces: { api: window(10) },
    tracing: {
      startRequest: () => ({ traceId: 'a', run: (work) => work(), end: () => undefined }),
      within: (_name, _attributes, work) => work(),
      close: async () => undefined,
    },
  });
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.deepEqual(trace, [
    'allowOrigins',
    'setDeadline',
    'setSecurityHeaders',
    'limitBody',
    'startTrace',
    'setRequestId',
    'authenticate',
    'chargeBudget',
    'authorise',
    'inviteBody',
    'resumeTrace',
    'endTrace',
    'logAccess',
  ]);
});

test('every route states its schema, its scope, its time-out and whether it is public', async (t) => {
  const routes: RouteOptions[] = [];
  watchStart(t, (app) => app.addHook('onRoute', (route) => void routes.push(route)));
  await startPlane(t);
  const stated = new Map<string, unknown>();
  for (const { url, schema, config } of routes) {
    const { isPublic, scope, timeoutMs } = config ?? {};
    assert.equal(typeof isPublic, 'boolean', url);
    assert.equal(isPublic, scope === null, url);
    assert.ok(Number.isInteger(timeoutMs), url);
    const answers = Object.keys(schema?.response ?? {});
    assert.equal(answers.includes('4xx'), true, url);
    stated.set(url, scope);
  }
  assert.deepEqual(Object.fromEntries(stated), {
    '/health': null,
    '/ready': null,
    '/v1/limit': 'limit',
    '/v1/peek': 'peek',
    '/v1/limit/batch': 'limit',
    '/v1/leases': 'lease',
    '/v1/leases/:id': 'lease',
    '/v1/reservations': 'limit',
    '/v1/reservations/:id/commit': 'limit',
    '/v1/reservations/:id': 'limit',
    '/v1/reset': 'reset',
    '/v1/auth/nginx/:namespace': 'limit',
    '/v1/auth/nginx/:namespace/*': 'limit',
    '/v1/auth/forward/:namespace': 'limit',
    '/v1/auth/forward/:namespace/*': 'limit',
  });
});

test('a route that leaves something unsaid stops the start', async () => {
  const whole = { schema: {}, config: { isPublic: true, scope: null, timeoutMs: 1000 } };
  const handler = () => 'never';
  const add = async (route: object) => {
    const app = fastify();
    await app.register(routeConfig);
    app.get('/', route, handler);
  };
  await add(whole);
  const incomplete = [
    { config: whole.config },
    { schema: {} },
    { schema: {}, config: { ...whole.config, isPublic: undefined } },
    { schema: {}, config: { ...whole.config, scope: undefined } },
    { schema: {}, config: { ...whole.config, scope: 'limit' } },
    { schema: {}, config: { ...whole.config, timeoutMs: undefined } },
  ];
  for (const route of incomplete) await assert.rejects(add(route), /must state|either public/);
});

test('unknown routes are 404 and known ones with another method 405, both as problems and without a key', async (t) => {
  const plane = await startPlane(t);
  for (const path of [
    '/',
    '/v1',
    '/v1/limit/',
    '/V1/limit',
    '/v1/projects',
    '/metrics',
    '/v1/auth/nginx',
    '/%',
    '/a%zz',
  ]) {
    const answer = await call(plane.url + path);
    const { status, code } = problemIn(answer);
    const expected = path.includes('%') ? [400, 'bad_request'] : [404, 'unknown_route'];
    assert.deepEqual([path, status, code], [path, ...expected]);
  }
  const wrong = await call(`${plane.url}/v1/limit?x=1`);
  assert.deepEqual([problemIn(wrong).code, wrong.headers.allow], ['method_not_allowed', 'POST']);
  const posted = await plane.post('/health', 'not json');
  assert.deepEqual([problemIn(posted).code, posted.headers.allow], ['method_not_allowed', 'GET']);
  const body = await plane.post('/nowhere', 'not json', { 'content-type': 'text/plain' });
  assert.equal(problemIn(body).code, 'unknown_route');
});

test('every answer carries the headers of an API that answers with JSON', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const answers = [
    await call(`${plane.url}/health`),
    await call(`${plane.url}/nowhere`),
    await call(`${plane.url}/%zz`),
    await plane.post('/v1/limit', {}),
    await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' }),
    await plane.ask('/v1/auth/nginx/api'),
  ];
  for (const { headers } of answers) {
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('/health says that the process lives, /ready whether to send traffic and why not', async (t) => {
  const plane = await startPlane(t);
  const health = await call(`${plane.url}/health`);
  assert.deepEqual([health.status, JSON.parse(health.body)], [200, { status: 'ok', version: '0.0.0-test' }]);
  assert.equal((await call(`${plane.url}/health`, { method: 'HEAD' })).status, 200);

  const { isReady: _, ...report } = plane.readiness;
  const ready = await call(`${plane.url}/ready`);
  assert.deepEqual([ready.status, JSON.parse(ready.body)], [200, report]);
  plane.readiness = { ...plane.readiness, isReady: false, status: 'starting', snapshot: null };
  const starting = await call(`${plane.url}/ready`);
  assert.deepEqual(
    [starting.status, JSON.parse(starting.body)],
    [503, { ...report, status: 'starting', snapshot: null }],
  );
});

test('a fault nobody foresaw is one fixed text, and its cause is logged once', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  plane.judge = async () => {
    throw new Error('the disk at /secret/place is full');
  };
  const answer = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.equal(answer.status, 500);
  assert.deepEqual(JSON.parse(answer.body), {
    type: 'urn:brume:problem:internal',
    title: CATALOGUE.internal.title,
    status: 500,
    code: 'internal',
  });
  const causes = plane.logLines.filter((line) => JSON.stringify(line).includes('/secret/place'));
  assert.equal(causes.length, 1);
  assert.deepEqual([causes[0]?.level, causes[0]?.requestId], ['error', answer.headers['x-request-id']]);
});

test('a request id is taken from a trusted proxy only, and only a well-formed one', async (t) => {
  const trusted = await startPlane(t);
  const idOf = async (url: string, id: string | string[]) =>
    (await call(`${url}/health`, { headers: { 'x-request-id': id } })).headers['x-request-id'];
  assert.equal(await idOf(trusted.url, 'abc-123'), 'abc-123');
  for (const id of ['', 'a b', 'x'.repeat(129), 'a"b', ['a', 'b']])
    assert.match(String(await idOf(trusted.url, id)), /^[0-9a-f-]{36}$/);
  const strict = await startPlane(t, { config: { trustedProxies: [] } });
  assert.match(String(await idOf(strict.url, 'abc-123')), /^[0-9a-f-]{36}$/);
});

test('each header of a verdict has its switch', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(0) },
    config: { headersXRatelimit: false, headersRatelimit: false, headersRetryAfter: false },
  });
  const answer = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  for (const name of Object.keys(answer.headers))
    assert.equal(/ratelimit|retry-after/.test(name), false, name);
});

test('the access log has one line a request, with no path, key or identifier in it', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(1) },
    config: { accessLog: { mode: 'all' } },
  });
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann@example.org' });
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann@example.org' });
  await call(`${plane.url}/nowhere/ann@example.org?apikey=${plane.key}`);
  await plane.ask('/v1/auth/nginx/api/ann@example.org', { 'x-forwarded-for': '203.0.113.1' });
  const lines = plane.logLines.map(({ time: _time, requestId: _id, durationMs: _ms, ...rest }) => rest);
  const common = { level: 'info', msg: 'request' };
  const caller = { project: 'prj_1', key: 'key_1', namespace: 'api', degraded: false };
  assert.deepEqual(lines, [
    { ...common, method: 'POST', route: '/v1/limit', status: 200, ...caller, success: true },
    {
      ...common,
      method: 'POST',
      route: '/v1/limit',
      status: 200,
      ...caller,
      success: false,
      reason: 'limit',
    },
    { ...common, method: 'GET', route: null, status: 404 },
    { ...common, method: 'GET', route: '/v1/auth/nginx/:namespace/*', status: 200, ...caller, success: true },
  ]);
});

test('identifiers and peers are logged where that was asked for', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(1) },
    config: { accessLog: { mode: 'all' }, logIdentifiers: true },
  });
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.deepEqual([plane.logLines[0]?.identifier, plane.logLines[0]?.peer], ['ann', '127.0.0.1']);
});
