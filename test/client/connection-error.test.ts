import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiClient } from '../../src/client/api-client.ts';
import { connectionErrorOf } from '../../src/client/connection-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { socketServer } from './socket-server.ts';

test('a socket that is not there: which one, and whether Brume runs', async (t) => {
  const socketPath = join(temporaryDirectory(t), 'admin.sock');
  await assert.rejects(new ApiClient({ socketPath }).listProjects(), {
    name: 'ConnectionError',
    fault: 'missing',
    message: `There is no socket ${socketPath}. Is Brume running? Look with: systemctl status brume`,
  });
});

test('a socket on which nobody listens any more', async (t) => {
  const socketPath = join(temporaryDirectory(t), 'admin.sock');
  writeFileSync(socketPath, '');
  await assert.rejects(new ApiClient({ socketPath }).listProjects(), {
    fault: 'refused',
    message: /Nobody listens/,
  });
});

test('a directory in place of a socket', async (t) => {
  const socketPath = temporaryDirectory(t);
  await assert.rejects(new ApiClient({ socketPath }).listProjects(), {
    message: `${socketPath} is a directory. Name the socket in it.`,
  });
});

test('a socket that this user may not open: the group is named', () => {
  const denied = Object.assign(new Error('connect EACCES'), { code: 'EACCES' });
  const { fault, message } = connectionErrorOf(denied, { socketPath: '/run/brume/admin.sock' });
  assert.equal(fault, 'not_permitted');
  assert.match(message, /\/run\/brume\/admin\.sock.*brume-admin/);
});

test('a Brume that does not answer in time', async (t) => {
  const socketPath = await socketServer(t, () => {});
  await assert.rejects(new ApiClient({ socketPath }, { timeoutMs: 50 }).listProjects(), { fault: 'timeout' });
});

test('an answer that never ends is given up in time', async (t) => {
  const socketPath = await socketServer(t, (_, response) => response.write('{'));
  await assert.rejects(new ApiClient({ socketPath }, { timeoutMs: 50 }).listProjects(), { fault: 'timeout' });
});

test('an answer that is cut off is no answer', async (t) => {
  const socketPath = await socketServer(t, (_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"items":[]}', () => response.destroy());
  });
  await assert.rejects(new ApiClient({ socketPath }).listProjects(), { fault: 'broken' });
});

test('a server that speaks something else', async (t) => {
  const socketPath = join(temporaryDirectory(t), 'other.sock');
  const server = createServer((socket) => socket.end('220 mail ready\r\n')).listen(socketPath);
  t.after(() => server.close());
  await once(server, 'listening');
  await assert.rejects(new ApiClient({ socketPath }).listProjects(), {
    fault: 'broken',
    message: /Is it Brume/,
  });
});

test('a URL at which nobody listens', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  server.close();
  await once(server, 'close');
  const client = new ApiClient({ url: `http://user:hunter2@127.0.0.1:${port}` });
  await assert.rejects(client.listProjects(), {
    fault: 'refused',
    message: new RegExp(`http://127.0.0.1:${port}\\.`),
  });
});
