import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { drain } from '../../src/appliance/drain.ts';
import { bind } from '../../src/appliance/listen.ts';
import { type HttpBounds, PlaneServer } from '../../src/appliance/plane-server.ts';
import { rawConnection, recordedLog } from './fakes.ts';

const BOUNDS: HttpBounds = {
  headersMaxBytes: 16384,
  headerTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 60_000,
  connectionsMax: 100,
};
const NEVER_MS = 60_000;

/** A plane whose answers the test gives, in the order of `asked`. */
async function startPlane(t: TestContext, bounds: Partial<HttpBounds> = {}) {
  const asked: { url: string; response: ServerResponse }[] = [];
  const waiting: (() => void)[] = [];
  const plane = {
    routing: (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/fast') return void response.end('fast');
      asked.push({ url: request.url ?? '', response });
      for (const wake of waiting.splice(0)) wake();
    },
    server: { emit: () => true },
  };
  const planeServer = new PlaneServer(plane, { ...BOUNDS, ...bounds });
  await bind(planeServer.server, { host: '127.0.0.1', port: 0 });
  t.after(() => planeServer.closeAll());
  const { port } = planeServer.server.address() as AddressInfo;
  const untilAsked = async (count: number) => {
    while (asked.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { planeServer, port, asked, untilAsked };
}

function startDrain(planeServer: PlaneServer, { drainMs = NEVER_MS, idleGraceMs = NEVER_MS } = {}) {
  const phases: string[] = [];
  const { log, lines } = recordedLog();
  const done = drain({
    servers: [planeServer],
    readiness: { startDraining: () => phases.push('draining') },
    drainMs,
    idleGraceMs,
    log,
  });
  return { done, phases, lines };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: brume\r\n\r\n`;

test('a request that runs when the drain starts is answered, with Connection: close', async (t) => {
  const { planeServer, port, asked, untilAsked } = await startPlane(t);
  const client = await rawConnection(t, { port });
  client.send(get('/slow'));
  await untilAsked(1);

  const { done, phases } = startDrain(planeServer);
  assert.deepEqual(phases, ['draining']);
  asked[0]?.response.end('slow answer');
  await client.closed;

  assert.match(client.received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(client.received, /\r\nconnection: close\r\n/i);
  assert.match(client.received, /slow answer/);
  await done;
});

test('an idle kept-alive connection can still ask after the drain has started, and is told to close', async (t) => {
  const { planeServer, port } = await startPlane(t);
  const client = await rawConnection(t, { port });
  client.send(get('/fast'));
  await client.until('fast');
  assert.match(client.received, /connection: keep-alive/i);

  const { done } = startDrain(planeServer);
  client.received = '';
  client.send(get('/fast'));
  await client.closed;

  assert.match(client.received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(client.received, /connection: close/i);
  await done;
});

test('new connections are refused from the start of the drain', async (t) => {
  const { planeServer, port, untilAsked, asked } = await startPlane(t);
  const client = await rawConnection(t, { port });
  client.send(get('/slow'));
  await untilAsked(1);

  const { done } = startDrain(planeServer);
  await assert.rejects(rawConnection(t, { port }), { code: 'ECONNREFUSED' });
  asked[0]?.response.end();
  await done;
});

test('idle connections, also those that never asked, are closed after the grace, running ones are not', async (t) => {
  const { planeServer, port, asked, untilAsked } = await startPlane(t);
  const [running, idle, silent] = [
    await rawConnection(t, { port }),
    await rawConnection(t, { port }),
    await rawConnection(t, { port }),
  ];
  idle.send(get('/fast'));
  await idle.until('fast');
  running.send(get('/slow'));
  await untilAsked(1);

  const { done } = startDrain(planeServer, { idleGraceMs: 20 });
  await idle.closed;
  await silent.closed;
  assert.equal(running.socket.closed, false);

  asked[0]?.response.end('slow answer');
  await running.until('slow answer');
  await done;
});

test('all answers that are pipelined on one connection arrive, and only the last says close', async (t) => {
  const { planeServer, port, asked, untilAsked } = await startPlane(t);
  const client = await rawConnection(t, { port });
  client.send(get('/one') + get('/two'));
  await untilAsked(2);

  const { done } = startDrain(planeServer);
  for (const { url, response } of asked) response.end(`answer ${url}`);
  await client.closed;

  assert.match(client.received, /answer \/one.*answer \/two/s);
  assert.equal(client.received.match(/connection: close/gi)?.length, 1);
  await done;
});

test('the drain ends at its time-out, and says how many requests were cut', async (t) => {
  const { planeServer, port, untilAsked } = await startPlane(t);
  const client = await rawConnection(t, { port });
  client.send(get('/slow'));
  await untilAsked(1);

  const { done, lines } = startDrain(planeServer, { drainMs: 30 });
  await done;
  await client.closed;

  assert.equal(lines.at(-1)?.level, 'warn');
  assert.equal(lines.at(-1)?.running, 1);
});

test('a request whose headers do not arrive in time is ended by the configured time-out', async (t) => {
  const errors: unknown[] = [];
  const plane = {
    routing: () => undefined,
    server: {
      emit: (_event: string, error: Error, socket: { destroy(): void }) => {
        errors.push((error as NodeJS.ErrnoException).code);
        socket.destroy();
        return true;
      },
    },
  };
  const planeServer = new PlaneServer(plane, { ...BOUNDS, headerTimeoutMs: 50 });
  await bind(planeServer.server, { host: '127.0.0.1', port: 0 });
  t.after(() => planeServer.server.close());
  const client = await rawConnection(t, planeServer.server.address() as AddressInfo);
  client.send('GET / HTTP/1.1\r\nHost: ');
  await client.closed;
  assert.deepEqual(errors, ['ERR_HTTP_REQUEST_TIMEOUT']);
});

test('more connections than the maximum are closed, those before are kept', async (t) => {
  const { port } = await startPlane(t, { connectionsMax: 1 });
  const first = await rawConnection(t, { port });
  first.send(get('/fast'));
  await first.until('fast');
  const second = await rawConnection(t, { port });
  await second.closed;
  first.received = '';
  first.send(get('/fast'));
  await first.until('fast');
});
