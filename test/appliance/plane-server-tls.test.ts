import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { drain } from '../../src/appliance/drain.ts';
import { bind } from '../../src/appliance/listen.ts';
import { managementTls } from '../../src/appliance/management-tls.ts';
import { PlaneServer } from '../../src/appliance/plane-server.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { selfSigned } from '../support/tls-identity.ts';
import { rawConnection, recordedLog } from './fakes.ts';

const MINUTE_MS = 60_000;
const BOUNDS = {
  headersMaxBytes: 16_384,
  headerTimeoutMs: MINUTE_MS,
  requestTimeoutMs: MINUTE_MS,
  keepAliveMs: MINUTE_MS,
  connectionsMax: 100,
};

async function startTls(t: TestContext) {
  const tls = selfSigned(t);
  let owed: ServerResponse | undefined;
  const faults: unknown[] = [];
  const plane = {
    routing: (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/slow') owed = response;
      else response.end('fast answer');
    },
    server: { emit: (_event: string, error: unknown) => faults.push(error) > 0 },
  };
  const server = new PlaneServer(plane, BOUNDS, { tls });
  await bind(server.server, { host: '127.0.0.1', port: 0 });
  t.after(() => server.closeAll());
  const { port } = server.server.address() as AddressInfo;
  const client = async () => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: tls.cert });
    t.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    const until = async (part: string) => {
      while (!text.includes(part)) await once(socket, 'data');
    };
    return { socket, until, closed, received: () => text };
  };
  return { server, port, client, faults, answer: () => owed?.end('slow answer') };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: brume\r\n\r\n`;

test('a drain over TLS loses no request: what runs is answered with Connection: close, what is idle stays for its grace', async (t) => {
  const { server, client, answer } = await startTls(t);
  const [idle, busy] = [await client(), await client()];
  idle.socket.write(get('/'));
  await idle.until('fast answer');
  busy.socket.write(get('/slow'));
  while (server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(server.connectionCount, 2);

  const { log } = recordedLog();
  const readiness = { startDraining: () => undefined };
  const done = drain({ servers: [server], readiness, drainMs: MINUTE_MS, idleGraceMs: MINUTE_MS, log });
  idle.socket.write(get('/again'));
  await idle.closed;
  assert.match(idle.received().split('fast answer')[1] ?? '', /connection: close/i);
  answer();
  await busy.closed;
  assert.match(busy.received(), /connection: close[\s\S]*slow answer/i);
  await done;
});

test('over TLS, too, what comes once the last answer is given takes no answer back', async (t) => {
  const { server, client } = await startTls(t);
  const accepted = once(server.server, 'secureConnection') as Promise<Socket[]>;
  const { socket, received } = await client();
  const [served] = await accepted;
  assert.ok(served !== undefined);
  const ended = new Promise((resolve) => {
    socket.once('end', () => resolve('end'));
    socket.once('error', resolve);
  });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await once(served, 'finish');
  const readBefore = served.bytesRead;
  socket.write(get('/late'));
  while (served.bytesRead === readBefore && !served.destroyed) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.resume();
  assert.equal(await ended, 'end');
  assert.match(received(), /^HTTP\/1\.1 400 /);
  if (!served.closed) await once(served, 'close');
  assert.ok(served.readableEnded);
});

test('who does not shake hands is no connection of the plane, gets no answer, and is cut with all others', async (t) => {
  const { server, port, faults } = await startTls(t);
  const silent = await rawConnection(t, { port });
  const plain = await rawConnection(t, { port });
  plain.send(get('/'));
  await plain.closed;
  assert.doesNotMatch(plain.received, /HTTP/);
  assert.equal(server.connectionCount, 0);
  assert.deepEqual(faults, []);
  server.closeAll();
  await silent.closed;
});

test('a certificate that is none, or not that of the key, is a fault of the configuration, by its variable', (t) => {
  const [one, other] = [selfSigned(t), selfSigned(t)];
  const broken = `${temporaryDirectory(t)}/broken.pem`;
  writeFileSync(broken, 'not PEM\n');
  const managementListen = { host: '127.0.0.1', port: 8610 };
  const open = (managementTlsCert: string, managementTlsKey: string) =>
    managementTls({ managementListen, managementTlsCert, managementTlsKey });
  const faultsOf = (cert: string, key: string): (string | null)[][] => {
    try {
      open(cert, key);
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.faults.map(({ variable, where, problem, remedy }) => [
        variable,
        where,
        `${problem}. ${remedy}.`,
      ]);
    }
    return [];
  };
  const [cert, key] = ['BRUME_MANAGEMENT_TLS_CERT', 'BRUME_MANAGEMENT_TLS_KEY'];
  const missing = '/nonexistent.pem';
  assert.deepEqual(open(one.certPath, one.keyPath), { cert: one.cert, key: one.key });
  const unread = (variable: string) => [
    variable,
    missing,
    "the file can't be read (ENOENT). It must exist, and the user who runs Brume must be able to read it.",
  ];
  assert.deepEqual(faultsOf(missing, missing), [unread(cert), unread(key)]);
  assert.deepEqual(faultsOf(missing, one.keyPath), [unread(cert)]);
  assert.deepEqual(faultsOf(broken, one.certPath), [
    [
      cert,
      broken,
      'the file holds no certificate in PEM. Give the certificate as PEM, which has a line BEGIN CERTIFICATE.',
    ],
    [
      key,
      one.certPath,
      'the file holds no private key in PEM. Give the private key as PEM, which has a line BEGIN PRIVATE KEY.',
    ],
  ]);
  const [[variable, where, words = ''] = []] = faultsOf(one.certPath, other.keyPath);
  assert.deepEqual([variable, where], [key, other.keyPath]);
  assert.match(words ?? '', /BRUME_MANAGEMENT_TLS_CERT.*its own key, without a passphrase\.$/);
  assert.equal(
    managementTls({ managementListen: null, managementTlsCert: missing, managementTlsKey: missing }),
    undefined,
    'no management plane needs none',
  );
});
