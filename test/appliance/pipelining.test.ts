import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { UNANSWERED_MAX } from '../../src/appliance/plane-server.ts';
import { connectedPlane, get, gets, type Routing } from './connected-plane.ts';

const answersIn = (text: string) => [...text.matchAll(/answer (\S+);/g)].map(([, url]) => url);

const answer: Routing = (request, response) => void response.end(`answer ${request.url};`);
/** Not before all of a chunk has been parsed. */
const answerLater: Routing = (request, response) => void setImmediate(() => answer(request, response));

test('requests pipelined up to the bound are answered in order, again and again on one connection', async (t) => {
  const { client } = await connectedPlane(t, answerLater);
  for (const _round of [1, 2, 3]) {
    client.received = '';
    client.send(gets(UNANSWERED_MAX - 1));
    await client.until(`answer /${UNANSWERED_MAX - 2};`);
    assert.deepEqual(
      answersIn(client.received),
      Array.from({ length: UNANSWERED_MAX - 1 }, (_, n) => `/${n}`),
    );
  }
  assert.doesNotMatch(client.received, /connection: close/i);
});

for (const [what, routing] of [
  ['at once', answer],
  ['later', answerLater],
] as const) {
  test(`of 2000 requests in one chunk, answered ${what}, those beyond the bound never reach the plane`, async (t) => {
    const { asked, client } = await connectedPlane(t, routing);
    client.send(gets(2000));
    await client.closed;
    assert.equal(asked.length, UNANSWERED_MAX);
    assert.match(client.received, /connection: close/i);
  });
}

test('the body of the last request that counts may still arrive', async (t) => {
  const { client } = await connectedPlane(t, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => response.end(`answer ${request.url}${body};`));
  });
  client.send(gets(UNANSWERED_MAX - 1));
  client.send('POST /last HTTP/1.1\r\nHost: brume\r\nContent-Length: 5\r\n\r\n+bo');
  await client.until(`answer /${UNANSWERED_MAX - 2};`);
  client.send('dy');
  await client.closed;
  assert.equal(answersIn(client.received).at(-1), '/last+body');
});

for (const [what, lines] of [
  ['without Host', ''],
  ['with two Hosts', 'Host: brume\r\nHost: other\r\n'],
] as const) {
  test(`a request ${what} is answered with a problem, in its turn, and nothing behind it reaches the plane`, async (t) => {
    const { asked, client } = await connectedPlane(t, answerLater);
    client.send(`${get('before')}GET /bad HTTP/1.1\r\n${lines}\r\n${get('behind')}`);
    await client.closed;
    assert.deepEqual(asked, ['/before']);
    assert.match(client.received, /^HTTP\/1\.1 200 .*answer \/before;HTTP\/1\.1 400 /s);
    assert.equal(client.received.match(/HTTP\/1\.1 \d/g)?.length, 2);
    assert.match(client.received, /content-type: application\/problem\+json/);
    assert.match(client.received, /connection: close/i);
    assert.match(client.received, /"code":"bad_request".*"field":"Host"/);
  });
}

test('what comes in a later chunk behind a request without Host is not judged either', async (t) => {
  const { asked, client } = await connectedPlane(t, answer);
  client.send('POST /bad HTTP/1.1\r\nContent-Length: 4\r\n\r\nb');
  client.send(`ody${get('behind')}`);
  await client.closed;
  assert.deepEqual(asked, []);
  assert.match(client.received, /^HTTP\/1\.1 400 /);
});

test('HTTP/1.0 may go without Host', async (t) => {
  const { client } = await connectedPlane(t, answer);
  client.send('GET /old HTTP/1.0\r\n\r\n');
  await client.closed;
  assert.match(client.received, /^HTTP\/1\.1 200 .*answer \/old;/s);
});

test('a request that asks for an Upgrade is a request like any other', async (t) => {
  const { client } = await connectedPlane(t, answer);
  client.send(get('a', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
  await client.until('answer /a;');
  client.send(get('b'));
  await client.until('answer /b;');
  assert.deepEqual(answersIn(client.received), ['/a', '/b']);
});

test('a client that goes away with answers owed leaves nothing behind', async (t) => {
  const { planeServer, asked, client, socket } = await connectedPlane(t, () => undefined);
  client.send(gets(10));
  while (asked.length < 10) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(planeServer.runningCount, 10);
  const closedNow = new Promise((resolve) => socket.once('close', resolve));
  client.socket.resetAndDestroy();
  await closedNow;
  assert.equal(planeServer.runningCount, 0);
});

for (const count of [1, 2000]) {
  test(`answers that nobody reads end the connection in bounded time, for ${count} requests`, async (t) => {
    const large = Buffer.alloc(20_000_000);
    let standstills = 0;
    const { client, socket } = await connectedPlane(t, (_request, response) => void response.end(large), {
      standstillMs: 200,
      onStandstill: () => (standstills += 1),
    });
    client.socket.pause();
    client.send(gets(count));
    await once(socket, 'close');
    assert.equal(standstills, 1);
  });
}

test('a connection that just stays open is closed without being called a standstill', async (t) => {
  let standstills = 0;
  const { client, socket } = await connectedPlane(t, answer, {
    standstillMs: 20,
    onStandstill: () => (standstills += 1),
  });
  client.send('GET /half HTTP/1.1\r\n');
  await once(socket, 'close');
  assert.equal(standstills, 0);
});
