import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askAdmin } from '../../support/admin-socket.ts';
import { BRUME_COMMAND, runBrume, startBrume } from '../../support/brume-process.ts';
import { collectOutput, stopChild } from '../../support/child-process.ts';
import { freePort } from '../../support/free-port.ts';
import { call } from '../../support/http-call.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Opens sockets as systemd does, and becomes the command: ADMIN_PATH DATA_PORT DATA_PATH MANAGEMENT_PORT COMMAND… */
const AS_SYSTEMD = `
  use strict; use warnings; use Socket;
  $^F = 9; # these stay open across exec
  my ($admin, $data, $path, $management) = splice @ARGV, 0, 4;
  sub handed { my ($family, $address) = @_;
    socket(my $socket, $family, SOCK_STREAM, 0) or die "socket: $!";
    bind($socket, $address) or die "bind: $!";
    listen($socket, 128) or die "listen: $!";
    return $socket; }
  my @kept = (
    handed(PF_UNIX, pack_sockaddr_un($admin)),
    handed(PF_INET, pack_sockaddr_in($data, INADDR_LOOPBACK)),
    handed(PF_UNIX, pack_sockaddr_un($path)),
    handed(PF_INET, pack_sockaddr_in($management, INADDR_LOOPBACK)));
  @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 4, 'admin:data:data:management');
  exec @ARGV or die "exec: $!";
`;

interface OnSockets {
  readonly child: ChildProcess;
  readonly log: () => string;
  readonly url: string;
  readonly managementUrl: string;
  readonly adminPath: string;
  readonly dataPath: string;
}

async function start(t: TestContext, stateDir: string): Promise<OnSockets> {
  const directory = temporaryDirectory(t);
  const [data, management] = [await freePort(), await freePort()];
  const [adminPath, dataPath] = [join(directory, 'admin.sock'), join(directory, 'brume.sock')];
  const sockets = [adminPath, String(data), dataPath, String(management)];
  const child = spawn('perl', ['-e', AS_SYSTEMD, ...sockets, ...BRUME_COMMAND, 'serve', '--systemd'], {
    env: {
      PATH: '/usr/bin:/bin',
      BRUME_LISTEN: `127.0.0.1:${data}`,
      BRUME_MANAGEMENT_LISTEN: `localhost:${management}`,
      BRUME_ADMIN_SOCKET: adminPath,
      BRUME_STATE_DIR: stateDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => stopChild(child, 'SIGKILL'));
  const log = collectOutput(child);
  const [url, managementUrl] = [`http://127.0.0.1:${data}`, `http://127.0.0.1:${management}`];
  return { child, log, url, managementUrl, adminPath, dataPath };
}

async function untilLogged({ child, log }: OnSockets, text: string): Promise<void> {
  await waitFor(text, () => {
    if (child.exitCode !== null) throw new Error(`it ended:\n${log()}`);
    return log().includes(text);
  });
}

test('every plane is served on the sockets that were handed over, by their names, and their files stay', async (t) => {
  const brume = await start(t, temporaryDirectory(t));
  await untilLogged(brume, '"msg":"ready"');
  assert.equal((await call(`${brume.url}/ready`)).status, 200);
  assert.equal((await call(`${brume.managementUrl}/ready`)).status, 200);
  assert.equal((await call(`${brume.managementUrl}/v1/projects`)).status, 401);
  assert.ok(await askAdmin(brume.adminPath, 'GET', '/v1/projects'));
  const addresses = brume
    .log()
    .match(/"address":"[^"]+"/g)
    ?.map((text) => text.slice(11, -1));
  const expected = [
    brume.adminPath,
    new URL(brume.url).host,
    brume.dataPath,
    new URL(brume.managementUrl).host,
  ];
  assert.deepEqual(addresses, expected);
  assert.equal(await stopChild(brume.child), 0, brume.log());
  for (const path of [brume.adminPath, brume.dataPath]) assert.ok(existsSync(path), path);
});

test('without its sockets it ends with 78 and what to do, in the log, too, and opens nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const settings = {
    BRUME_LISTEN: `127.0.0.1:${await freePort()}`,
    BRUME_MANAGEMENT_LISTEN: 'off',
    BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
    BRUME_STATE_DIR: join(directory, 'state'),
  };
  const { exitCode, stdout, stderr } = await runBrume(settings, 'serve', '--systemd');
  assert.equal(exitCode, 78, stderr);
  for (const text of [stdout, stderr])
    assert.match(text, /no socket of the data plane.*systemctl start brume/);
  assert.equal(existsSync(join(directory, 'state')), false);
});

test('while another process has the embedded stores it stands by, and serves when that has ended', async (t) => {
  const stateDir = temporaryDirectory(t);
  const first = await startBrume({ BRUME_STATE_DIR: stateDir });
  t.after(() => first.stop('SIGKILL'));
  const second = await start(t, stateDir);
  await untilLogged(second, 'standing by');
  assert.equal((await call(`${first.url}/ready`)).status, 200, 'the first still serves');
  assert.equal(second.log().includes('"msg":"ready"'), false);
  // Whoever connects meanwhile waits, and is answered.
  const early = call(`${second.url}/ready`);
  assert.equal(await first.stop(), 0);
  assert.equal((await early).status, 200);
});

test('TERM ends one that stands by, with 0', async (t) => {
  const stateDir = temporaryDirectory(t);
  const first = await startBrume({ BRUME_STATE_DIR: stateDir });
  t.after(() => first.stop('SIGKILL'));
  const second = await start(t, stateDir);
  await untilLogged(second, 'standing by');
  assert.equal(await stopChild(second.child), 0, second.log());
  assert.equal((await call(`${first.url}/ready`)).status, 200);
});
