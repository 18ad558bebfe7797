import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, type HttpAnswer } from '../../support/http-call.ts';
import { problemIn, startPlane, unavailable, window } from './plane-harness.ts';

const ORIGIN = { origin: 'https://shop.example' };
const PREFLIGHT = { ...ORIGIN, 'access-control-request-method': 'POST' };
const BODY = { namespace: 'api', identifier: 'ann' };

function corsHeaders({ headers }: HttpAnswer): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}

function assertReadable(answer: HttpAnswer): void {
  const { headers } = answer;
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['access-control-allow-credentials'], undefined);
  assert.match(String(headers.vary), /\bOrigin\b/);
  const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
  for (const name of Object.keys(headers))
    if (/ratelimit|retry-after|x-request-id/.test(name)) assert.ok(exposed.includes(name), name);
}

test('B50: preflights are 204 and free; what comes after them is readable, denied or not', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { addressRate: 1, addressBurst: 1, trustedProxies: [] },
  });
  for (let n = 0; n < 20; n++) {
    const answer = await call(`${plane.url}/v1/limit`, { method: 'OPTIONS', headers: PREFLIGHT });
    assert.deepEqual([answer.status, answer.body], [204, '']);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    assert.match(String(answer.headers['access-control-allow-methods']), /\bPOST\b/);
    for (const name of ['content-type', 'x-api-key', 'authorization', 'idempotency-key'])
      assert.ok(String(answer.headers['access-control-allow-headers']).toLowerCase().includes(name), name);
  }
  assert.equal(plane.lookups.length, 0);
  for (let n = 1; n <= 6; n++) {
    const answer = await plane.post('/v1/limit', BODY, ORIGIN);
    assertReadable(answer);
    assert.equal(JSON.parse(answer.body).success, n <= 5);
    assert.equal(answer.headers['retry-after'] !== undefined, n > 5);
  }
});

test('B50: every refusal is readable too', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { addressRate: 1, addressBurst: 5, trustedProxies: [] },
  });
  const noScope = plane.addKey({ scopes: ['peek'] });
  const post = (body: unknown, headers = {}) => plane.post('/v1/limit', body, { ...ORIGIN, ...headers });
  const answers: [number, HttpAnswer][] = [
    [400, await post({})],
    [400, await call(`${plane.url}/%zz`, { headers: ORIGIN })],
    [401, await post(BODY, { 'x-api-key': 'nonsense' })],
    [403, await post(BODY, { 'x-api-key': noScope })],
    [404, await call(`${plane.url}/nowhere`, { headers: ORIGIN })],
    [405, await call(`${plane.url}/v1/limit`, { headers: ORIGIN })],
    [413, await post('x'.repeat(70_000))],
    [415, await post(BODY, { 'content-type': 'text/plain' })],
  ];
  plane.judge = async () => {
    throw new Error('unforeseen');
  };
  answers.push([500, await post(BODY)]);
  plane.keyFault = unavailable;
  answers.push([503, await post(BODY)]);
  plane.keyFault = undefined;
  let last = await post(BODY, { 'x-api-key': 'nonsense' });
  while (last.status === 401) last = await post(BODY, { 'x-api-key': 'nonsense' });
  answers.push([429, last]);
  assert.equal(last.headers['retry-after'], '1', 'when the address filter lets one pass again');
  for (const [status, answer] of answers) {
    assert.equal(answer.status, status);
    assertReadable(answer);
  }
  assert.equal(problemIn(last).code, 'throttled_address');
});

test('no origin is reflected, and without one nothing is said of origins', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(50) } });
  for (const origin of ['https://evil.example', 'null', 'file://', '*', '']) {
    for (const method of ['OPTIONS', 'POST']) {
      const { headers } = await call(`${plane.url}/v1/limit`, {
        method,
        headers: { origin, 'access-control-request-method': 'POST', cookie: 'a=b' },
      });
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.equal(headers['access-control-allow-private-network'], undefined);
    }
  }
  assert.deepEqual(corsHeaders(await plane.post('/v1/limit', BODY)), []);
});

test('an OPTIONS that is no preflight is a request like any other', async (t) => {
  const plane = await startPlane(t);
  const plain = await call(`${plane.url}/v1/limit`, { method: 'OPTIONS', headers: ORIGIN });
  assert.deepEqual([plain.status, problemIn(plain).code], [405, 'method_not_allowed']);
  const sameSite = await call(`${plane.url}/v1/limit`, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST' },
  });
  assert.equal(sameSite.status, 405);
});

test('the preflights and origins of a forward-auth call are those of somebody else', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(3) } });
  for (const kind of ['nginx', 'forward']) {
    const path = `/v1/auth/${kind}/api`;
    const client = { 'x-forwarded-for': `203.0.113.${kind.length}` };
    const headers = { ...PREFLIGHT, ...client };
    const answers = [
      await plane.ask(path, headers, { method: 'OPTIONS' }),
      await plane.ask(path, { ...ORIGIN, ...client }),
      await plane.ask(path, { ...ORIGIN, ...client }, { method: 'POST' }),
      await plane.ask(path, { ...ORIGIN, ...client }),
      await plane.ask(path, { ...ORIGIN, 'x-brume-key': 'nonsense' }),
      await plane.ask(`${path}/%zz`, ORIGIN),
    ];
    assert.deepEqual(
      answers.slice(0, 3).map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(answers[3]?.status, kind === 'nginx' ? 403 : 429);
    for (const answer of answers) assert.deepEqual(corsHeaders(answer), []);
  }
  assert.equal(plane.checks.length, 8);
});
