import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { problemIn, reasonedStatus, startPlane, unavailable, window } from './plane-harness.ts';

const NGINX = '/v1/auth/nginx/';
const FORWARD = '/v1/auth/forward/';
const CLIENT = { 'x-forwarded-for': '203.0.113.1' };

test('nginx gets 200 or 403 with the reason, and the headers of the verdict either way', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  const allowed = await plane.ask(`${NGINX}api`, CLIENT);
  assert.deepEqual(reasonedStatus(allowed), [200, undefined]);
  assert.equal(allowed.headers['x-ratelimit-remaining'], '0');
  assert.equal(allowed.body, '');
  const denied = await plane.ask(`${NGINX}api`, CLIENT);
  assert.deepEqual(reasonedStatus(denied), [403, 'limit']);
  assert.match(String(denied.headers['retry-after']), /^[1-9]\d*$/);
  assert.match(String(denied.headers.ratelimit), /^"default";r=0;t=\d+$/);
  assert.equal(denied.headers['content-type']?.startsWith('application/problem+json'), true);
});

test('every refusal of the nginx call is 403 with a reason that its snippet knows', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(1), user: window(1, { identifyBy: 'header:X-User' }) },
  });
  const noKey = plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': [] });
  assert.deepEqual(reasonedStatus(await noKey), [403, 'unauthorized']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': '' })), [
    403,
    'unauthorized',
  ]);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': 'x' })), [
    403,
    'unauthorized',
  ]);
  const scopeless = plane.addKey({ scopes: ['peek'] });
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': scopeless })), [
    403,
    'unauthorized',
  ]);
  const twice = { ...CLIENT, 'x-brume-key': [plane.key, plane.key] };
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, twice)), [403, 'bad_request']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}other`, CLIENT)), [403, 'unknown_namespace']);
  assert.deepEqual(reasonedStatus(await plane.ask(NGINX, CLIENT)), [403, 'unknown_namespace']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}%zz`, CLIENT)), [403, 'bad_request']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api/%zz`, CLIENT)), [403, 'bad_request']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`)), [403, 'bad_request']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}user`)), [403, 'bad_request']);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-cost': '-1' })), [
    403,
    'bad_request',
  ]);
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-cost': '2' })), [
    403,
    'limit',
  ]);
  plane.keyFault = unavailable;
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, CLIENT)), [403, 'store_unavailable']);
  plane.keyFault = new Error('a fault nobody foresaw');
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, CLIENT)), [403, 'store_unavailable']);
});

test('the forward call answers 200 and 429, and faults of configuration as problems', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  assert.deepEqual(reasonedStatus(await plane.ask(`${FORWARD}api`, CLIENT)), [200, undefined]);
  const denied = await plane.ask(`${FORWARD}api`, CLIENT);
  assert.deepEqual(reasonedStatus(denied), [429, 'limit']);
  assert.deepEqual(problemIn(denied), { status: 429, code: 'limit' });
  assert.equal(denied.body.includes('203.0.113.1'), false);
  assert.notEqual(denied.headers['retry-after'], undefined);

  const unauthorized = await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-key': 'x' });
  assert.deepEqual(problemIn(unauthorized), { status: 401, code: 'unauthorized' });
  assert.equal((await plane.ask(`${FORWARD}other`, CLIENT)).status, 404);
  assert.deepEqual(problemIn(await plane.ask(`${FORWARD}api`)).field, 'X-Forwarded-For');
  const scopeless = plane.addKey({ scopes: [] });
  assert.equal((await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-key': scopeless })).status, 403);
});

test('a degraded verdict shows in the header; a closed namespace gives 403 to nginx and 503 to the others', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  const degraded = {
    success: true,
    namespace: 'api',
    identifier: '203.0.113.1',
    limit: null,
    remaining: null,
    reset: null,
    retryAfter: null,
    delayMs: 0,
    reason: null,
    degraded: true,
    limits: [],
    shadow: [],
    requestId: null,
  };
  plane.judge = async () => degraded;
  const open = await plane.ask(`${FORWARD}api`, CLIENT);
  assert.deepEqual([open.status, open.headers['x-brume-ratelimit-degraded']], [200, 'true']);
  for (const name of Object.keys(open.headers)) assert.equal(/^(x-)?ratelimit/.test(name), false, name);

  plane.judge = async () => ({ ...degraded, success: false, reason: 'store_unavailable' });
  const forward = await plane.ask(`${FORWARD}api`, CLIENT);
  assert.deepEqual(reasonedStatus(forward), [503, 'store_unavailable']);
  assert.equal(forward.headers['x-brume-ratelimit-degraded'], 'true');
  assert.deepEqual(reasonedStatus(await plane.ask(`${NGINX}api`, CLIENT)), [403, 'store_unavailable']);
});

test('headers of the application are ignored, whatever they hold', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const answer = await plane.ask(`${FORWARD}api?apikey=x&cost=9`, {
    ...CLIENT,
    authorization: 'Bearer someone-elses',
    apikey: 'x',
    'x-api-key': 'y',
    'idempotency-key': 'z',
    'content-type': 'not a type at all',
    'x-real-ip': '198.51.100.7',
    forwarded: 'for=198.51.100.7',
  });
  assert.deepEqual([answer.status, answer.headers['x-ratelimit-remaining']], [200, '9']);
  const instead = {
    ...CLIENT,
    'x-brume-key': [],
    'x-api-key': plane.key,
    authorization: `Bearer ${plane.key}`,
  };
  assert.equal((await plane.ask(`${FORWARD}api`, instead)).status, 401);
});

test('any method is answered, HEAD and those of WebDAV too', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1000) } });
  for (const call of [NGINX, FORWARD]) {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const answer = await plane.ask(`${call}api`, CLIENT, { method });
      assert.deepEqual([method, answer.status, answer.body], [method, 200, '']);
    }
  }
});

test('a request that would upgrade the connection is judged like any other', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1000) } });
  const answer = await plane.ask(`${NGINX}api`, { ...CLIENT, connection: 'upgrade', upgrade: 'websocket' });
  assert.equal(answer.status, 200);
});

test('the cost comes in X-Brume-Cost, as decimal digits and nothing else', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  for (const cost of [
    '-1',
    '-1000000000',
    '1.5',
    'NaN',
    '1e3',
    '0x10',
    '9223372036854775808',
    'true',
    '[1]',
    '+1',
    '01',
    ' ',
    '9007199254740992',
    '９',
    '1, 1',
  ]) {
    const value = Buffer.from(cost, 'utf8').toString('latin1');
    const answer = await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-cost': value });
    const { status, code, field } = problemIn(answer);
    assert.deepEqual([cost, status, code, field], [cost, 400, 'bad_request', 'X-Brume-Cost']);
  }
  const repeated = await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-cost': ['0', '0'] });
  assert.equal(problemIn(repeated).field, 'X-Brume-Cost');
  assert.equal(await plane.remaining('api', '203.0.113.1'), 10);
  const left = async (cost?: string) =>
    (await plane.ask(`${FORWARD}api`, { ...CLIENT, ...(cost !== undefined && { 'x-brume-cost': cost }) }))
      .headers['x-ratelimit-remaining'];
  assert.deepEqual([await left('4'), await left('0'), await left()], ['6', '6', '5']);
});
