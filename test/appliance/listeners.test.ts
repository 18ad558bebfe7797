import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { request, type Server } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Listeners, listen, openListeners } from '../../src/appliance/listeners.ts';
import { buildState } from '../../src/appliance/state.ts';
import { Switchboard } from '../../src/appliance/switchboard.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { rawConnection, recordedLog } from './fakes.ts';

async function house(t: TestContext, settings: Record<string, string> = {}) {
  const directory = temporaryDirectory(t);
  const { log, lines } = recordedLog();
  const env = {
    BRUME_STATE_DIR: directory,
    BRUME_LISTEN: '127.0.0.1:0',
    BRUME_MANAGEMENT_LISTEN: '127.0.0.1:0',
    BRUME_SOCKET: join(directory, 'data.sock'),
    BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
    ...settings,
  };
  const config = loadConfig({ env, defaultFile: join(directory, 'absent.conf') });
  const state = await buildState(config, log);
  t.after(() => state.close());
  return { config, state, lines, directory };
}

function tcpListener({ servers: [first] }: Listeners): { server: Server; port: number } {
  const address = first?.server.address();
  if (first === undefined || address === null || typeof address !== 'object') throw new Error('not on TCP');
  return { server: first.server, port: address.port };
}

function portOf({ servers }: Listeners, at: number): number {
  const address = servers[at]?.server.address();
  if (address === null || typeof address !== 'object') throw new Error('not on TCP');
  return address.port;
}

function statusOf(
  where: { port: number } | { socketPath: string },
  path: string,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', ...where, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('the data plane answers before the other planes are built, and what came for those meanwhile is answered then', async (t) => {
  const { config, state } = await house(t);
  const switchboard = await Switchboard.build(config, state);
  const listeners = await listen(config, state, { switchboard });
  t.after(() => listeners.close());
  const admin = { socketPath: config.adminSocket };
  const management = { port: portOf(listeners, 3) };
  let answers = 0;
  const early = [statusOf(admin, '/v1/projects'), statusOf(management, '/v1/projects')].map((status) =>
    status.finally(() => answers++),
  );

  await waitFor('both to have come', () =>
    listeners.servers.slice(2).every(({ runningCount }) => runningCount === 1),
  );
  assert.equal(await statusOf(tcpListener(listeners), '/health'), 200);
  // They can't be answered before that, and so hold up nothing.
  assert.equal(await switchboard.untilNoneRuns(0), 0);
  assert.equal(answers, 0);
  await switchboard.complete();

  assert.deepEqual(await Promise.all(early), [200, 401]);
  assert.equal(await statusOf(admin, '/v1/projects'), 200);
});

test('those that waited for a process are answered first, but not waited for without end', async (t) => {
  const { config, state } = await house(t);
  const asked = Promise.withResolvers<void>();
  const readiness = Object.assign(Object.create(state.readiness) as typeof state.readiness, {
    report: () => asked.promise.then(() => state.readiness.report()),
  });
  const switchboard = await Switchboard.build(config, { ...state, readiness });
  const listeners = await listen(config, state, { switchboard });
  t.after(() => listeners.close());
  const status = statusOf(tcpListener(listeners), '/ready');
  await waitFor('it to have come', () => listeners.servers[0]?.runningCount === 1);

  await switchboard.untilFirstAnswered(1);
  assert.equal(listeners.servers[0]?.runningCount, 1);
  const first = switchboard.untilFirstAnswered(60_000);
  asked.resolve();
  await first;
  assert.equal(listeners.servers[0]?.runningCount, 0);
  assert.equal(await status, 503);
});

test('the data plane answers on TCP and on its socket, management routes on the admin socket and on their own port', async (t) => {
  const { config, state, lines } = await house(t);
  const listeners = await openListeners(config, state);
  t.after(() => listeners.close());
  const { port } = tcpListener(listeners);
  const [data, admin] = [String(config.socket), config.adminSocket];

  for (const where of [{ port }, { socketPath: data }]) {
    assert.equal(await statusOf(where, '/health'), 200);
    assert.equal(await statusOf(where, '/v1/projects'), 404);
  }
  assert.equal(await statusOf({ socketPath: admin }, '/v1/projects'), 200);
  assert.equal(await statusOf({ socketPath: admin }, '/v1/auth/nginx/login'), 404);
  const management = { port: portOf(listeners, 3) };
  assert.equal(await statusOf(management, '/health'), 200);
  assert.equal(await statusOf(management, '/v1/projects'), 401);
  assert.equal(await statusOf(management, '/v1/auth/nginx/login'), 404);
  for (const path of [data, admin]) assert.equal(statSync(path).mode & 0o7777, 0o660);
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'listening').map(({ plane, address }) => [plane, address]),
    [
      ['data', `127.0.0.1:${port}`],
      ['data', data],
      ['admin', admin],
      ['management', `127.0.0.1:${management.port}`],
    ],
  );
});

test('when one listener can not be opened, those before it are closed again', async (t) => {
  const { config, state, directory } = await house(t);
  mkdirSync(config.adminSocket);
  await assert.rejects(openListeners(config, state), /BRUME_ADMIN_SOCKET: .* is not a socket/);
  assert.equal(existsSync(join(directory, 'data.sock')), false);
});

test('a fault of a listener, or a connection too many, is a line of the log and no more', async (t) => {
  const { config, state, lines } = await house(t, { BRUME_CONNECTIONS_MAX: '1' });
  const listeners = await openListeners(config, state);
  t.after(() => listeners.close());
  const { server, port } = tcpListener(listeners);

  await rawConnection(t, { port });
  await (await rawConnection(t, { port })).closed;
  await (await rawConnection(t, { port })).closed;
  server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));

  const troubles = lines.filter(({ level }) => level === 'warn' || level === 'error');
  assert.deepEqual(
    troubles.map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'connections are refused: BRUME_CONNECTIONS_MAX is reached'],
      ['error', 'a connection could not be accepted'],
    ],
  );
});
