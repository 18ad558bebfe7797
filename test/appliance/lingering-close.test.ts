import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { drain } from '../../src/appliance/drain.ts';
import { type Plane, UNANSWERED_MAX } from '../../src/appliance/plane-server.ts';
import { answerClientError } from '../../src/planes/hooks/client-error.ts';
import { connectedPlane, get, gets, type Routing } from './connected-plane.ts';
import { type RawConnection, recordedLog } from './fakes.ts';

const NEVER_MS = 60_000;
/** More than the buffers of a connection take while nobody reads. */
const LARGE = 'x'.repeat(20_000_000);
/** As many of them as may be owed wait in the sender's buffer then, and not only in the reader's. */
const LARGE_ANSWER = 'x'.repeat(10_000);

const answer: Routing = (request, response) => void response.end(`answer ${request.url};`);
const answersIn = (text: string) => [...text.matchAll(/answer (\S+?);/g)].map(([, url]) => url);

/** How it ended for the client: with an `end`, or by the code of an error. */
function ending({ socket }: RawConnection): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once('end', () => resolve('end'));
    socket.once('error', (error) => resolve('code' in error ? error.code : error));
  });
}

test('whoever pipelines past the last answer and reads late reads all answers, and then the end', async (t) => {
  const large: Routing = (request, response) => void response.end(`answer ${request.url};${LARGE_ANSWER}`);
  const { client, socket } = await connectedPlane(t, large, { lingerMs: NEVER_MS });
  const ended = ending(client);
  const closed = once(socket, 'close');
  client.socket.pause();
  client.send(gets(20_000));
  await once(socket, 'finish');
  client.socket.resume();
  assert.equal(await ended, 'end');
  assert.equal(answersIn(client.received).length, UNANSWERED_MAX);
  // By the client's end, which it sends behind all the rest, and not by the time-out.
  await closed;
  assert.ok(socket.readableEnded);
});

test('what comes once the last answer is given is thrown away, and takes no answer back', async (t) => {
  const { client, socket, asked } = await connectedPlane(t, answer, { lingerMs: NEVER_MS });
  const ended = ending(client);
  const closed = once(socket, 'close');
  client.socket.allowHalfOpen = true;
  client.socket.pause();
  client.send(`GET /bad HTTP/1.1\r\n\r\n`);
  await once(socket, 'finish');
  const readBefore = socket.bytesRead;
  const late = gets(500);
  client.send(late);
  await until(socket, () => socket.bytesRead === readBefore + late.length);
  client.send(late);
  await until(socket, () => socket.bytesRead === readBefore + 2 * late.length);
  client.socket.resume();
  assert.equal(await ended, 'end');
  assert.match(client.received, /^HTTP\/1\.1 400 .*"bad_request"/s);
  assert.deepEqual(asked, []);
  client.socket.end();
  await closed;
});

test('in a drain a request that crosses the last answer is not asked, and takes that answer back from nobody', async (t) => {
  let owed: ServerResponse | undefined;
  const routing: Routing = (_request, response) => {
    owed = response;
  };
  const { planeServer, client, socket, asked } = await connectedPlane(t, routing);
  const ended = ending(client);
  client.socket.pause();
  client.send(get('a'));
  await until(socket, () => owed !== undefined);
  const drained = drain({
    servers: [planeServer],
    readiness: { startDraining: () => undefined },
    drainMs: NEVER_MS,
    idleGraceMs: NEVER_MS,
    log: recordedLog().log,
  });
  owed?.end('answer /a;');
  await once(socket, 'finish');
  const readBefore = socket.bytesRead;
  client.send(get('b'));
  await until(socket, () => socket.bytesRead > readBefore);
  client.socket.resume();
  assert.equal(await ended, 'end');
  assert.deepEqual(answersIn(client.received), ['/a']);
  assert.deepEqual(asked, ['/a']);
  await drained;
});

test('who announces more than is read gets the answer, though all of it is sent', async (t) => {
  const refusing: Routing = (_request, response) =>
    void response.writeHead(413, { connection: 'close' }).end('answer /upload;');
  const { client, socket, asked } = await connectedPlane(t, refusing, { lingerMs: NEVER_MS });
  const ended = ending(client);
  const closed = once(socket, 'close');
  client.socket.pause();
  client.send(`POST /upload HTTP/1.1\r\nHost: brume\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
  await once(socket, 'finish');
  client.socket.write(LARGE + get('behind'));
  await once(client.socket, 'drain');
  client.socket.resume();
  assert.equal(await ended, 'end');
  assert.match(client.received, /^HTTP\/1\.1 413 .*answer \/upload;/s);
  assert.deepEqual(asked, ['/upload']);
  await closed;
});

test('who sends what is not HTTP gets the answer, though it goes on', async (t) => {
  const faults: Error[] = [];
  const server: Plane['server'] = {
    emit(_event, error, socket) {
      faults.push(error);
      answerClientError(error, socket);
      return true;
    },
  };
  const { client, socket } = await connectedPlane(t, answer, { server, lingerMs: NEVER_MS });
  const ended = ending(client);
  const closed = once(socket, 'close');
  client.socket.pause();
  client.socket.write(`nonsense\r\n\r\n`);
  await once(socket, 'finish');
  client.socket.write(LARGE);
  await once(client.socket, 'drain');
  client.socket.resume();
  assert.equal(await ended, 'end');
  assert.match(client.received, /^HTTP\/1\.1 400 /);
  assert.equal(faults.length, 1);
  await closed;
});

test('a client that does not close is cut, however much it sends', async (t) => {
  const { client, socket } = await connectedPlane(t, answer, { lingerMs: 50 });
  const closed = once(socket, 'close');
  client.socket.allowHalfOpen = true;
  client.send('GET /bad HTTP/1.1\r\n\r\n');
  const sending = setInterval(() => client.socket.write(LARGE.slice(0, 1000)), 5);
  t.after(() => clearInterval(sending));
  await closed;
});

test('one that has asked for the end itself, and sent all of its request, is not waited for', async (t) => {
  const { client, socket } = await connectedPlane(t, answer, { lingerMs: NEVER_MS });
  const [ended, closed] = [ending(client), once(socket, 'close')];
  client.socket.allowHalfOpen = true;
  client.send(get('a', 'Connection: close\r\n'));
  await closed;
  assert.equal(await ended, 'end');
  assert.deepEqual(answersIn(client.received), ['/a']);
});

test('what is passed on may be written to after its answer, until who has passed it on closes', async (t) => {
  const options = { lingerMs: NEVER_MS, lingersAlways: true };
  const { client, socket } = await connectedPlane(t, answer, options);
  const [ended, closed] = [ending(client), once(socket, 'close')];
  client.socket.allowHalfOpen = true;
  client.send(get('a', 'Connection: close\r\n'));
  assert.equal(await ended, 'end');
  assert.equal(socket.destroyed, false);
  client.socket.end();
  await closed;
  assert.deepEqual(answersIn(client.received), ['/a']);
});

test('a drain that is over cuts those that are waited for, too', async (t) => {
  const { planeServer, client, socket } = await connectedPlane(t, answer, { lingerMs: NEVER_MS });
  client.socket.allowHalfOpen = true;
  client.send('GET /bad HTTP/1.1\r\n\r\n');
  await once(socket, 'finish');
  const closed = once(socket, 'close');
  await drain({
    servers: [planeServer],
    readiness: { startDraining: () => undefined },
    drainMs: 20,
    idleGraceMs: NEVER_MS,
    log: recordedLog().log,
  });
  await closed;
  assert.equal(planeServer.connectionCount, 0);
});

/** Looks once in each turn of the loop, in which both ends are; rejects if the connection is closed before. */
async function until(socket: Socket, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    if (socket.destroyed) throw new Error('the connection is closed');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
