import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type RawConnection, rawConnection } from '../../appliance/fakes.ts';
import { type PlaneHarness, type PlaneSetUp, startPlane, window } from './plane-harness.ts';

interface Wired {
  readonly plane: PlaneHarness;
  readonly line: RawConnection;
  /** The head of a forward-auth call up to and without its last empty line. */
  readonly head: (method: string, path: string, ...lines: string[]) => string;
}

async function wire(t: TestContext, bounds: PlaneSetUp['bounds'] = {}): Promise<Wired> {
  const plane = await startPlane(t, { namespaces: { api: window(100) }, bounds });
  const line = await rawConnection(t, { port: plane.port });
  const head: Wired['head'] = (method, path, ...lines) =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: b',
      `X-Brume-Key: ${plane.key}`,
      'X-Forwarded-For: 203.0.113.1',
      ...lines,
      '',
      '',
    ].join('\r\n');
  return { plane, line, head };
}

function answersIn({ received }: RawConnection): string[] {
  return received.match(/HTTP\/1\.1 \d+/g) ?? [];
}

for (const call of ['/v1/auth/nginx/api', '/v1/auth/forward/api', '/v1/auth/forward/api/some/path']) {
  test(`B45: ${call} does not wait for an announced body, and closes`, async (t) => {
    for (const [method, ...lines] of [
      ['GET', 'Content-Length: 77'],
      ['POST', 'Content-Length: 77', 'Content-Type: application/json'],
      ['POST', 'Content-Length: 77', 'Expect: 100-continue'],
      ['PUT', 'Transfer-Encoding: chunked'],
      ['QUERY', 'Content-Length: 77'],
      ['PROPFIND', 'Content-Length: 77', 'Content-Type: ;;;'],
    ] as const) {
      const { plane, line, head } = await wire(t);
      line.send(head(method, call, ...lines));
      await line.closed;
      assert.deepEqual([method, ...answersIn(line)], [method, 'HTTP/1.1 200']);
      assert.match(line.received, /\r\nconnection: close\r\n/i);
      assert.equal(plane.checks.length, 1);
    }
  });

  test(`B45: the body of ${call} is never read as a second request`, async (t) => {
    const { plane, line, head } = await wire(t);
    const second = head('GET', call);
    line.send(head('POST', call, `Content-Length: ${second.length}`) + second);
    await line.closed;
    assert.deepEqual(answersIn(line), ['HTTP/1.1 200']);
    assert.equal(plane.checks.length, 1);
  });

  test(`B45: a refusal of ${call} does not wait for the body either`, async (t) => {
    const { plane, line } = await wire(t);
    line.send(`POST ${call} HTTP/1.1\r\nHost: b\r\nX-Brume-Key: x\r\nContent-Length: 77\r\n\r\n`);
    await line.closed;
    assert.equal(answersIn(line).length, 1);
    assert.match(line.received, /unauthorized/);
    assert.equal(plane.checks.length, 0);
  });

  test(`without a body the connection of ${call} stays open for the next request`, async (t) => {
    const { line, head } = await wire(t);
    line.send(head('GET', call));
    await line.until('\r\n\r\n');
    line.received = '';
    line.send(head('POST', call, 'Content-Length: 0'));
    await line.until('HTTP/1.1 200');
    assert.doesNotMatch(line.received, /connection: close/i);
  });
}

test('a body is invited only where it will be read', async (t) => {
  const { plane, line } = await wire(t);
  const body = JSON.stringify({ namespace: 'api', identifier: 'ann' });
  const head = (key: string) =>
    `POST /v1/limit HTTP/1.1\r\nHost: b\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
  line.send(head(plane.key));
  await line.until('HTTP/1.1 100 Continue\r\n\r\n');
  line.send(body);
  await line.until('"success":true');
  line.received = '';
  line.send(head('unknown'));
  await line.closed;
  assert.deepEqual(answersIn(line), ['HTTP/1.1 401']);
});

test('a request that was refused before its body came closes the connection', async (t) => {
  const { line } = await wire(t);
  line.send(
    'POST /v1/limit HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  await line.closed;
  assert.deepEqual(answersIn(line), ['HTTP/1.1 401']);
});

test('what is not HTTP is answered with a problem, and the connection closes', async (t) => {
  for (const bytes of [
    '\0\0\0\0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: b\r\nX: a\0b\r\n\r\n',
    'GET / HTTP/1.1\r\nA : b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: b\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: b\r\nContent-Length: -1\r\n\r\n',
  ]) {
    const { line } = await wire(t);
    line.send(bytes);
    await line.closed;
    assert.match(line.received, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(line.received, /content-type: application\/problem\+json\r\n/);
    assert.match(line.received, /"code":"bad_request"/);
    assert.match(line.received, /connection: close\r\n/);
  }
});

test('headers beyond the bound are answered with 431, a late request with 408', async (t) => {
  const { line } = await wire(t);
  line.send(`GET /health HTTP/1.1\r\nHost: b\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
  await line.closed;
  assert.match(line.received, /^HTTP\/1\.1 431 /);
  assert.match(line.received, /"code":"headers_too_large"/);
  assert.match(line.received, /^x-request-id: [0-9a-f-]{36}\r$/m);

  const { line: slow } = await wire(t, { headerTimeoutMs: 50, requestTimeoutMs: 100 });
  slow.send('GET /health HTTP/1.1\r\nHost: b\r\n');
  await slow.closed;
  assert.match(slow.received, /^HTTP\/1\.1 408 /);
  assert.match(slow.received, /"code":"request_timeout"/);
});

test('a body that never arrives is answered with 408, and nothing is counted', async (t) => {
  const { plane, line } = await wire(t, { headerTimeoutMs: 50, requestTimeoutMs: 100 });
  line.send(
    `POST /v1/limit HTTP/1.1\r\nHost: b\r\nX-API-Key: ${plane.key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  );
  await line.closed;
  assert.deepEqual(answersIn(line), ['HTTP/1.1 408']);
  assert.equal(plane.checks.length, 0);
});

test('pipelined calls are answered in their order', async (t) => {
  const { line, head } = await wire(t);
  line.send(head('GET', '/v1/auth/nginx/api') + head('GET', '/v1/auth/nginx/other') + head('GET', '/health'));
  await line.until('"status":"ok"');
  assert.deepEqual(answersIn(line), ['HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 200']);
});
