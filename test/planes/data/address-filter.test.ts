import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawConnection } from '../../appliance/fakes.ts';
import { call } from '../../support/http-call.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { problemIn, reasonedStatus, startPlane, window } from './plane-harness.ts';

const BODY = { namespace: 'api', identifier: 'ann' };
const WRONG = { 'x-api-key': 'nonsense' };
const config = { addressRate: 2, addressBurst: 3, trustedProxies: ['127.0.0.9/32'] };
const namespaces = { api: window(1000) };

test('an address without a valid key has its burst and then its rate, and is told when to return', async (t) => {
  const plane = await startPlane(t, { config, namespaces });
  const statuses = async (count: number) => {
    const seen: number[] = [];
    for (let n = 0; n < count; n++) seen.push((await plane.post('/v1/limit', BODY, WRONG)).status);
    return seen;
  };
  assert.deepEqual(await statuses(5), [401, 401, 401, 429, 429]);
  assert.equal(plane.lookups.length, 3, 'what is turned away is not looked up');
  const refused = await plane.post('/v1/limit', BODY);
  assert.deepEqual(problemIn(refused), { status: 429, code: 'throttled_address' });
  assert.equal(refused.headers['retry-after'], '1');
  plane.nowMs += 500;
  assert.deepEqual(await statuses(2), [401, 429]);
  plane.nowMs += 60_000;
  assert.deepEqual(await statuses(4), [401, 401, 401, 429]);
});

test('calls with a valid key cost their address nothing, also where the key lacks the scope', async (t) => {
  const plane = await startPlane(t, { config, namespaces });
  const peekOnly = plane.addKey({ scopes: ['peek'] });
  for (let n = 0; n < 20; n++) {
    assert.equal((await plane.post('/v1/limit', BODY)).status, 200);
    assert.equal((await plane.post('/v1/limit', BODY, { 'x-api-key': peekOnly })).status, 403);
  }
  for (let n = 0; n < 3; n++) assert.equal((await plane.post('/v1/limit', BODY, WRONG)).status, 401);
  assert.equal((await plane.post('/v1/limit', BODY, WRONG)).status, 429);
});

test('each client behind a listed proxy counts for itself, by whatever it writes', async (t) => {
  const plane = await startPlane(t, { config, namespaces });
  const ask = (forwardedFor: string | string[], more = WRONG) =>
    call(`${plane.url}/v1/limit`, {
      method: 'POST',
      headers: { 'x-forwarded-for': forwardedFor, ...more },
      from: '127.0.0.9',
    });
  for (let n = 0; n < 3; n++) assert.equal((await ask(`10.${n}.0.1, 203.0.113.1`)).status, 401);
  assert.equal((await ask('198.51.100.7, 203.0.113.1')).status, 429);
  assert.equal((await ask(['198.51.100.8', '203.0.113.1, 127.0.0.9'])).status, 429);
  assert.equal((await ask('203.0.113.2')).status, 401);
  for (let n = 0; n < 3; n++) assert.equal((await ask(`2001:db8:1:1::${n}`)).status, 401);
  assert.equal((await ask('2001:db8:1:1:ffff::')).status, 429, 'IPv6 counts by /64');
  assert.equal((await ask('2001:db8:1:2::')).status, 401);
});

test('a listed proxy never counts itself, whatever it says or leaves out', async (t) => {
  const plane = await startPlane(t, { config, namespaces });
  for (const headers of [{}, { 'x-forwarded-for': 'nonsense' }, { 'x-forwarded-for': '127.0.0.9' }]) {
    for (let n = 0; n < 6; n++) {
      const answer = await call(`${plane.url}/v1/limit`, {
        method: 'POST',
        headers: { ...headers, ...WRONG },
        from: '127.0.0.9',
      });
      assert.equal(answer.status, 401);
    }
  }
});

test('a peer on the Unix socket never counts itself, but the clients whom it names', async (t) => {
  const path = `${await temporaryDirectory(t)}/b.sock`;
  await startPlane(t, { config, namespaces, socketPath: path });
  const line = await rawConnection(t, { path });
  const ask = async (...lines: string[]) => {
    line.received = '';
    line.send(['GET /v1/nowhere HTTP/1.1', 'Host: b', ...lines, '', ''].join('\r\n'));
    await line.until('}');
    return line.received.slice(9, 12);
  };
  for (let n = 0; n < 6; n++) assert.equal(await ask(), '404');
  for (let n = 0; n < 3; n++) assert.equal(await ask('X-Forwarded-For: 203.0.113.1'), '404');
  assert.equal(await ask('X-Forwarded-For: 203.0.113.1'), '429');
});

test('forward-auth calls, /health and /ready are not filtered', async (t) => {
  const plane = await startPlane(t, { config, namespaces });
  for (let n = 0; n < 5; n++) await plane.post('/v1/limit', BODY, WRONG);
  for (let n = 0; n < 6; n++) {
    assert.equal((await call(`${plane.url}/health`)).status, 200);
    assert.equal((await call(`${plane.url}/ready`)).status, 200);
    assert.equal((await plane.ask('/v1/auth/forward/api')).status, 200);
    assert.deepEqual(reasonedStatus(await plane.ask('/v1/auth/nginx/api')), [200, undefined]);
    assert.equal((await plane.ask('/v1/auth/forward/api', { 'x-brume-key': 'x' })).status, 401);
  }
  assert.equal((await plane.post('/v1/limit', BODY)).status, 429);
});

test('a refusal keeps the connection, and what follows on it is answered in order', async (t) => {
  const plane = await startPlane(t, { config: { ...config, addressBurst: 1 }, namespaces });
  const line = await rawConnection(t, { port: plane.port });
  const body = '{"not":"read"}';
  const post = `POST /v1/limit HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = 'GET /v1/limit HTTP/1.1\r\nHost: b\r\n\r\n';
  line.send(`${get}${post}${post}GET /health HTTP/1.1\r\nHost: b\r\n\r\n`);
  await line.until('"status":"ok"');
  assert.deepEqual(
    [...line.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['405', '429', '429', '200'],
  );
  assert.doesNotMatch(line.received, /connection: close/i);
});

test('a refusal whose body may never come closes the connection', async (t) => {
  const plane = await startPlane(t, { config: { ...config, addressBurst: 1 }, namespaces });
  await plane.post('/v1/limit', BODY, WRONG);
  for (const announced of [
    'Transfer-Encoding: chunked',
    'Content-Length: 10\r\nExpect: 100-continue',
    'Content-Length: 65537',
  ]) {
    const line = await rawConnection(t, { port: plane.port });
    line.send(`POST /v1/limit HTTP/1.1\r\nHost: b\r\n${announced}\r\n\r\n`);
    await line.closed;
    assert.match(line.received, /^HTTP\/1\.1 4(29|13) /);
  }
});
