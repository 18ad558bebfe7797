import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { type RawConnection, rawConnection } from './fakes.ts';

const RULE = { limits: [{ algorithm: 'fixed_window', limit: 5, windowMs: 60_000 }] };

interface Running {
  readonly brume: BrumeProcess;
  readonly port: number;
  readonly key: string;
}

async function running(t: TestContext): Promise<Running> {
  const brume = await startBrume();
  t.after(() => brume.stop('SIGKILL'));
  const key = await createTenant(String(brume.settings.BRUME_ADMIN_SOCKET), 'shop', { login: RULE });
  return { brume, port: Number(new URL(brume.url).port), key };
}

/** Sends a check but for its last byte, so that the request is running and can't end yet. */
async function startSlowCheck(
  t: TestContext,
  { port, key }: Running,
): Promise<{ client: RawConnection; rest: string }> {
  const client = await rawConnection(t, { port });
  const body = JSON.stringify({ namespace: 'login', identifier: 'alice' });
  client.send(
    `POST /v1/limit HTTP/1.1\r\nHost: brume\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await client.until('100 Continue');
  client.send(body.slice(0, -1));
  return { client, rest: body.slice(-1) };
}

/** Waits for the end of a process that has its signal already: another TERM would end it at once. */
function exitCode(brume: BrumeProcess): Promise<number | null> {
  return brume.stop('SIGCONT');
}

async function untilLogged(brume: BrumeProcess, text: string): Promise<void> {
  while (!brume.log().includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal}: a running request finishes, new connections are refused, the exit code is 0`, async (t) => {
    const set = await running(t);
    const { client, rest } = await startSlowCheck(t, set);

    process.kill(set.brume.pid, signal);
    await untilLogged(set.brume, '"draining');
    await assert.rejects(rawConnection(t, { port: set.port }), { code: 'ECONNREFUSED' });
    client.send(rest);
    await client.closed;

    assert.match(client.received, /HTTP\/1\.1 200 OK/);
    assert.match(client.received, /connection: close/i);
    assert.match(client.received, /"success":true.*"remaining":4/);
    assert.equal(await exitCode(set.brume), 0);
    assert.match(set.brume.log(), /"msg":"stopped"\}\n$/);
    assert.equal(existsSync(String(set.brume.settings.BRUME_ADMIN_SOCKET)), false);
  });
}

test('while draining, /ready on an open connection says 503 and checks are still answered', async (t) => {
  const set = await running(t);
  const [asking, checking] = [
    await rawConnection(t, { port: set.port }),
    await rawConnection(t, { port: set.port }),
  ];
  for (const client of [asking, checking]) {
    client.send('GET /health HTTP/1.1\r\nHost: brume\r\n\r\n');
    await client.until('"version"');
    client.received = '';
  }
  process.kill(set.brume.pid, 'SIGTERM');
  await untilLogged(set.brume, '"draining');

  asking.send('GET /ready HTTP/1.1\r\nHost: brume\r\n\r\n');
  await asking.closed;
  assert.match(asking.received, /^HTTP\/1\.1 503 .*connection: close.*"status":"draining"/is);

  const body = JSON.stringify({ namespace: 'login', identifier: 'alice' });
  checking.send(
    `POST /v1/limit HTTP/1.1\r\nHost: brume\r\nX-API-Key: ${set.key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await checking.closed;
  assert.match(checking.received, /^HTTP\/1\.1 200 .*connection: close.*"success":true/is);
  assert.equal(await exitCode(set.brume), 0);
});

test('a second signal ends at once, with an exit code that is not 0', async (t) => {
  const set = await running(t);
  const { client } = await startSlowCheck(t, set);
  process.kill(set.brume.pid, 'SIGTERM');
  await untilLogged(set.brume, '"draining');
  assert.equal(await set.brume.stop('SIGTERM'), 1);
  await client.closed;
  assert.match(set.brume.log(), /second signal: ending at once/);
});

test('SIGHUP is ignored with a line that says so, SIGUSR1 opens no debugger port', async (t) => {
  const { brume } = await running(t);
  process.kill(brume.pid, 'SIGHUP');
  await untilLogged(brume, 'ignored: the configuration is read at start');
  process.kill(brume.pid, 'SIGUSR1');
  const response = await fetch(`${brume.url}/health`);
  assert.equal(response.status, 200);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(9229, '127.0.0.1');
    socket.on('error', () => resolve());
    socket.on('connect', () => reject(new Error('something listens on the debugger port')));
  });
  assert.equal(/debugger/i.test(brume.log()), false);
  assert.equal(await brume.stop(), 0);
});
