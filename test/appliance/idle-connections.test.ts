import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectedPlane, get, type Routing } from './connected-plane.ts';

const KEEP_ALIVE_MS = 100;
/** Node's HTTP server allows for so much more before it closes. */
const NODES_BUFFER_MS = 1000;

const answer: Routing = (request, response) => void response.end(`answer ${request.url};`);

/** Nothing is read, and no timer runs, meanwhile. */
function holdUpTheLoop(forMs: number): void {
  for (const endMs = performance.now() + forMs; performance.now() < endMs; );
}

test('a request that comes before the time of its idle connection is over is answered, also by a loop that was held up past it', async (t) => {
  const { client } = await connectedPlane(t, answer, { keepAliveMs: KEEP_ALIVE_MS });
  client.send(get('first'));
  await client.until('answer /first;');
  client.send(get('second'));
  holdUpTheLoop(KEEP_ALIVE_MS + NODES_BUFFER_MS + 200);
  await client.until('answer /second;');
});

test('a connection on which nothing came is closed when its time is over', async (t) => {
  const { client, asked } = await connectedPlane(t, answer, { keepAliveMs: KEEP_ALIVE_MS });
  client.send(get('first'));
  await client.closed;
  assert.deepEqual(asked, ['/first']);
});

test('a request that came before a drain closes idle connections is answered', async (t) => {
  const { client, planeServer } = await connectedPlane(t, answer);
  client.send(get('first'));
  await client.until('answer /first;');
  await delay(1); // goes on in a timer, as a drain does: before what arrives is read
  client.send(get('second'));
  planeServer.closeIdle();
  await client.until('answer /second;');
  planeServer.closeIdle();
  await client.closed;
});
