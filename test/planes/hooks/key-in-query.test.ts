import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { authentication, authorisation, callerOf } from '../../../src/planes/hooks/authentication.ts';
import { errorAnswers } from '../../../src/planes/hooks/error-answers.ts';
import { planeInstance } from '../../../src/planes/hooks/plane-instance.ts';
import { routeConfig } from '../../../src/planes/hooks/route-config.ts';
import type { KeyKind } from '../../../src/tenancy/api-key.ts';
import { hashApiKey, newApiKeySecret } from '../../../src/tenancy/api-key-secret.ts';
import { recordedLog } from '../../appliance/fakes.ts';
import { call } from '../../support/http-call.ts';
import { startPlane, window } from '../data/plane-harness.ts';

const KEYS: Readonly<Record<KeyKind, string>> = {
  publishable: newApiKeySecret('publishable').secret,
  service: newApiKeySecret('service').secret,
};

/** A plane with a route for a stream, as WebSocket and SSE routes will be, and one like all others. */
async function streamPlane(t: TestContext) {
  const { log, lines } = recordedLog();
  const app = planeInstance({ bodyMaxBytes: 1024, log });
  await app.register(routeConfig);
  await app.register(errorAnswers, { log });
  await app.register(authentication, {
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    keys: {
      find: async (sha256) => {
        const kind = (['publishable', 'service'] as const).find((one) => hashApiKey(KEYS[one]) === sha256);
        if (kind === undefined) return undefined;
        const times = { createdAtMs: 0, expiresAtMs: null, revokedAtMs: null };
        return { id: kind, projectId: 'p', name: kind, kind, scopes: ['limit'], prefix: '', ...times };
      },
    },
  });
  await app.register(authorisation);
  const config = { isPublic: false, scope: 'limit', timeoutMs: 1000 } as const;
  app.get('/stream', { schema: {}, config: { ...config, takesKeyInQuery: true } }, (request) =>
    callerOf(request),
  );
  app.get('/other', { schema: {}, config }, (request) => callerOf(request));
  t.after(() => app.close());
  const statusOf = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode;
  return { app, lines, statusOf };
}

test('a publishable key may come in the query where the route says so, a service key never', async (t) => {
  const { app, statusOf } = await streamPlane(t);
  const { publishable, service } = KEYS;
  assert.equal(await statusOf(`/stream?apikey=${publishable}`), 200);
  assert.equal(await statusOf(`/stream?a=b&apikey=${publishable}`, { 'x-api-key': publishable }), 200);
  assert.equal(await statusOf('/stream', { 'x-api-key': service }), 200);
  assert.equal(await statusOf(`/stream?apikey=${service}`), 401);
  assert.equal(await statusOf(`/stream?apikey=${publishable}`, { 'x-api-key': service }), 400);
  assert.equal(await statusOf(`/stream?apikey=${publishable}&apikey=${publishable}`), 400);
  assert.equal(await statusOf('/stream?apikey='), 401);
  const [bad, none] = [await app.inject(`/stream?apikey=${service}`), await app.inject('/stream')];
  assert.equal(bad.body, none.body);
});

test('on every other route the query holds no key, and nothing is said of it', async (t) => {
  const { statusOf } = await streamPlane(t);
  for (const key of Object.values(KEYS)) {
    assert.equal(await statusOf(`/other?apikey=${key}`), 401);
    assert.equal(await statusOf(`/other?apikey=${key}&apikey=x`, { 'x-api-key': KEYS.service }), 200);
  }
});

test('no route of the data plane takes a key in the query, and none writes it to a log', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { accessLog: { mode: 'all' } },
  });
  const key = plane.addKey({ kind: 'publishable', scopes: ['limit', 'peek', 'lease', 'reset'] });
  const routes: readonly (readonly [string, string])[] = [
    ['POST', '/v1/limit'],
    ['POST', '/v1/peek'],
    ['POST', '/v1/limit/batch'],
    ['POST', '/v1/leases'],
    ['PUT', '/v1/leases/x'],
    ['DELETE', '/v1/leases/x'],
    ['POST', '/v1/reservations'],
    ['POST', '/v1/reservations/x/commit'],
    ['DELETE', '/v1/reservations/x'],
    ['POST', '/v1/reset'],
    ['GET', '/v1/auth/forward/api'],
    ['GET', '/v1/auth/nginx/api'],
    ['GET', '/nowhere'],
    ['GET', '/%zz'],
  ];
  const expected: Readonly<Record<string, number>> = {
    '/v1/auth/nginx/api': 403,
    '/nowhere': 404,
    '/%zz': 400,
  };
  for (const [method, path] of routes) {
    const answer = await call(`${plane.url}${path}?apikey=${key}`, { method });
    assert.equal(answer.status, expected[path] ?? 401, path);
    assert.ok(!answer.body.includes(key));
  }
  assert.equal(plane.lookups.length, 0);
  assert.ok(plane.logLines.length >= routes.length - 1);
  assert.ok(!JSON.stringify(plane.logLines).includes(key));
});
