import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FORWARDED_HEADER } from '../../../src/appliance/hand-over/forwarded-request.ts';
import { introduction } from '../../../src/appliance/hand-over/introduction.ts';
import { askAdmin } from '../../support/admin-socket.ts';
import { SharedSockets } from '../../support/shared-sockets.ts';
import { type RawConnection, rawConnection } from '../fakes.ts';
import { Caller } from './calls.ts';
import { OtherSide } from './other-side.ts';

const RULE = { limits: [{ algorithm: 'fixed_window', limit: 10, windowMs: 366 * 86_400_000 }] };

/** Asks on a connection that stays open. */
async function ask(client: RawConnection, head: string, body = ''): Promise<string> {
  client.received = '';
  client.send(`${head}\r\nHost: brume\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await client.until('\r\n\r\n');
  return client.received;
}

function checkOf(caller: Caller, identifier: string): [head: string, body: string] {
  const head = `POST /v1/limit HTTP/1.1\r\nX-API-Key: ${caller.key}\r\nContent-Type: application/json`;
  return [head, JSON.stringify({ namespace: 'login', identifier })];
}

test('what kept-alive connections bring is answered as if they were connected with the next process, as who they are', async (t) => {
  // Loopback isn't, as it is by default.
  const shared = await SharedSockets.open(t, { BRUME_TRUSTED_PROXIES: '10.0.0.0/8' });
  const first = await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  const rule = { ...RULE, kind: 'ip', identifyBy: 'address' };
  const making = { name: 'addresses', rule };
  await askAdmin(shared.adminPath, 'POST', '/v1/projects/shop/namespaces', making);
  const port = Number(new URL(shared.url).port);
  const managementPort = Number(new URL(shared.managementUrl).port);
  const clients = {
    checking: await rawConnection(t, { port }),
    overTcp: await rawConnection(t, { port }),
    overSocket: await rawConnection(t, { path: shared.dataPath }),
    admin: await rawConnection(t, { path: shared.adminPath }),
    management: await rawConnection(t, { port: managementPort }),
    slow: await rawConnection(t, { port }),
  };
  for (const client of Object.values(clients)) {
    assert.match(await ask(client, 'GET /health HTTP/1.1'), /^HTTP\/1\.1 200/);
  }
  const [head, body] = checkOf(caller, 'alice');
  clients.slow.received = '';
  clients.slow.send(
    `${head}\r\nHost: brume\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await clients.slow.until('100 Continue');
  clients.slow.send(body.slice(0, -1));

  const second = await shared.start();
  await first.untilLogged('"msg":"handed over"');

  assert.match(await ask(clients.checking, ...checkOf(caller, 'bob')), /200 OK[\s\S]*connection: close/i);
  const forward = (claimed: string): string =>
    `GET /v1/auth/forward/addresses HTTP/1.1\r\nX-Brume-Key: ${caller.key}\r\n${claimed}`;
  // Who isn't trusted is its own address, whatever it says of itself.
  const claims = `X-Forwarded-For: 203.0.113.7\r\n${FORWARDED_HEADER}: token data-socket - 1`;
  assert.match(await ask(clients.overTcp, forward(claims)), /^HTTP\/1\.1 200[\s\S]*RateLimit-Remaining: 9/i);
  assert.equal(await caller.used('addresses', '127.0.0.1'), 1);
  // Whoever may open the socket may speak for others.
  await ask(clients.overSocket, forward('X-Forwarded-For: 203.0.113.9'));
  assert.equal(await caller.used('addresses', '203.0.113.9'), 1);
  assert.equal(await caller.used('addresses', '203.0.113.7'), 0);
  // By the admin socket one manages, on the management plane one must say who one is.
  assert.match(await ask(clients.admin, 'GET /v1/projects HTTP/1.1'), /^HTTP\/1\.1 200[\s\S]*shop/);
  assert.match(await ask(clients.management, 'GET /v1/projects HTTP/1.1'), /^HTTP\/1\.1 401/);
  // Counted where its body ends, once.
  clients.slow.received = '';
  clients.slow.send(body.slice(-1));
  await clients.slow.until('"success":true');
  assert.equal(await caller.used('login', 'alice'), 1);
  assert.equal(await first.ended, 0, first.log());
  assert.doesNotMatch(second.log(), /"level":"(error|fatal)"/);
});

test('a body that arrives after a hand-over that failed is counted once', async (t) => {
  const shared = await SharedSockets.open(t);
  const process = await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  const slow = await rawConnection(t, { port: Number(new URL(shared.url).port) });
  const [head, body] = checkOf(caller, 'alice');
  slow.send(`${head}\r\nHost: brume\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await slow.until('100 Continue');
  const next = await OtherSide.next(t, shared.stateDir);
  await next.take();
  next.die();
  await process.untilLogged('the hand-over failed');
  slow.send(body);
  await slow.until('"success":true');
  assert.equal(await caller.used('login', 'alice'), 1);
});

test('nobody but the process before it can pass requests on', async (t) => {
  const shared = await SharedSockets.open(t);
  await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  await shared.start();
  for (const name of ['hand-over.sock', 'hand-over-1.sock']) {
    assert.equal(statSync(join(shared.stateDir, name)).mode & 0o777, 0o600, name);
  }
  const socketPath = join(shared.stateDir, 'hand-over-1.sock');
  for (const token of ['', 'guessed']) {
    const headers = { [FORWARDED_HEADER]: `${token} admin-socket - 0` };
    const { status } = await caller.ask('GET', '/v1/projects', undefined, { socketPath, headers });
    assert.equal(status, 401);
  }
  // What is no message ends the conversation, and nothing else.
  const stranger = await rawConnection(t, { path: join(shared.stateDir, 'hand-over.sock') });
  stranger.send('GET / HTTP/1.1\r\n\r\n');
  await stranger.closed;
  const other = await OtherSide.next(t, shared.stateDir);
  other.say({ kind: 'hello', ...introduction() });
  assert.equal((await other.hear('welcome')).generation, 1);
});

test('a process that has handed over takes what the one before it passes on, until that has ended', async (t) => {
  const shared = await SharedSockets.open(t);
  const first = await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  const slow = await rawConnection(t, { port: Number(new URL(shared.url).port) });
  const [head, body] = checkOf(caller, 'alice');
  slow.send(`${head}\r\nHost: brume\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await slow.until('100 Continue');
  slow.send(body.slice(0, -1));

  const second = await shared.start();
  await first.untilLogged('"msg":"handed over"');
  const third = await shared.start();
  await second.untilLogged('"msg":"handed over"');
  await second.untilLogged('"msg":"draining');
  // It has nobody of its own to wait for.
  await delay(1000);
  slow.received = '';
  slow.send(body.slice(-1));
  await slow.until('"success":true');
  assert.equal(await caller.used('login', 'alice'), 1);
  assert.equal(await first.ended, 0, first.log());
  assert.equal(await second.ended, 0, second.log());
  assert.doesNotMatch(first.log() + second.log() + third.log(), /"level":"(error|fatal)"/);
});
