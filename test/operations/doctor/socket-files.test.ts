import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Finding } from '../../../src/operations/doctor/finding.ts';
import { examineListeners } from '../../../src/operations/doctor/listeners.ts';
import type { ExaminedSettings, Patient } from '../../../src/operations/doctor/patient.ts';
import type { ProcessFacts } from '../../../src/operations/doctor/process-facts.ts';
import type { SocketUnits } from '../../../src/operations/installed/socket-units.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const REMEDY = /systemctl stop brume && systemctl start brume /;

/** Answers as a Brume does, on a Unix socket. */
async function answering(t: TestContext, path: string): Promise<void> {
  const server = createServer((_request, response) => response.end('{"status":"ok","version":"1.2.3"}'));
  server.listen(path);
  await once(server, 'listening');
  t.after(() => server.close());
}

/** What is told of the two sockets of an installed Brume that serves, which no setting but the admin socket's names. */
async function installed(t: TestContext) {
  const directory = temporaryDirectory(t);
  const [data, admin] = [join(directory, 'brume.sock'), join(directory, 'admin.sock')];
  for (const path of [data, admin]) await answering(t, path);
  const unit = (places: string[]) => ({ isMasked: false, isActive: true, places });
  const sockets: SocketUnits = {
    'brume.socket': unit([data]),
    'brume-admin.socket': unit([admin]),
    'brume-management.socket': { ...unit([]), isMasked: true },
  };
  const settings = {
    listen: null,
    socket: null,
    adminSocket: admin,
    managementListen: null,
  } as ExaminedSettings;
  const process = { pid: 1, uid: 0, gids: [] } as unknown as ProcessFacts;
  const patient = {
    settings,
    running: { status: undefined, process },
    installed: { user: 'brume', sockets },
  } as Patient;
  return { data, admin, findings: () => examineListeners(patient) };
}

const failures = (findings: readonly Finding[]) => findings.filter(({ state }) => state === 'failure');

test('of what systemd opens without a setting, too, is told that it answers', async (t) => {
  const { data, admin, findings } = await installed(t);
  assert.deepEqual((await findings()).map(({ state, text }) => [state, text]).sort(), [
    ['ok', `BRUME_ADMIN_SOCKET ${admin}: Brume 1.2.3 answers.`],
    ['ok', `brume.socket ${data}: Brume 1.2.3 answers.`],
  ]);
});

for (const which of ['data', 'admin'] as const) {
  test(`a socket whose file was removed is told, with what brings it back: ${which}`, async (t) => {
    const { findings, ...paths } = await installed(t);
    rmSync(paths[which]);
    const [failure, ...more] = failures(await findings());
    assert.deepEqual(more, []);
    assert.match(
      failure?.text ?? '',
      new RegExp(`${paths[which]}: the socket was removed, although .* is open`),
    );
    assert.match(failure?.remedy ?? '', REMEDY);
  });
}

test('a socket of somebody who has gone in its place is told, with the same', async (t) => {
  const { data, findings } = await installed(t);
  const gone = createServer();
  gone.listen(`${data}.other`);
  await once(gone, 'listening');
  // Its file stays: Node.js removes the one of the old name.
  renameSync(`${data}.other`, data);
  gone.close();
  await once(gone, 'close');
  const [failure, ...more] = failures(await findings());
  assert.deepEqual(more, []);
  assert.match(failure?.text ?? '', /brume\.sock: nobody listens there, although Brume runs\.$/);
  assert.match(failure?.remedy ?? '', REMEDY);
});
