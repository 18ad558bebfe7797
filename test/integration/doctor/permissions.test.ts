import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Patient } from '../../../src/operations/doctor/patient.ts';
import { examinePermissions } from '../../../src/operations/doctor/permissions.ts';
import { mayRead } from '../../../src/operations/doctor/service-user.ts';
import type { ServiceUser } from '../../../src/operations/installed/users.ts';
import type { Settings } from '../../support/brume-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { assertFailure, diagnose, stopped, told } from './diagnosis.ts';

/** Root reads what nobody may; these are its rights without that. */
const WITHOUT_RIGHTS =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all']
    : [];

function configFile(t: TestContext, text: string, mode: number): string {
  const path = join(temporaryDirectory(t), 'brume.conf');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** The state directory of a Brume that has run, with a file in it. */
function stateDir(settings: Settings, { mode, fileMode }: { mode: number; fileMode: number }): string {
  const { BRUME_STATE_DIR: path = '' } = settings;
  mkdirSync(path);
  const file = join(path, 'snapshot.brume');
  writeFileSync(file, '');
  chmodSync(file, fileMode);
  chmodSync(path, mode);
  return path;
}

describe('brume doctor, of permissions', { timeout: 300_000 }, () => {
  test('a password in a file that everybody can read is told', async (t) => {
    const path = configFile(t, 'BRUME_METRICS_TOKEN=a-long-secret-of-our-own\n', 0o644);
    const diagnosis = await diagnose(await stopped(t), { args: ['--config', path] });
    assertFailure(
      diagnosis,
      'permissions',
      /everybody on this machine can read it, and it holds a secret/,
      /chmod 640/,
    );
    assert.ok(!JSON.stringify(diagnosis).includes('a-long-secret'));
  });

  test('the same file without secrets may be read by everybody, and written by its owner alone', async (t) => {
    const path = configFile(t, 'BRUME_LOG_LEVEL=info\n', 0o644);
    const settings = await stopped(t);
    assert.equal((await diagnose(settings, { args: ['--config', path] })).exitCode, 0);
    chmodSync(path, 0o646);
    const diagnosis = await diagnose(settings, { args: ['--config', path] });
    assertFailure(diagnosis, 'permissions', /others than its owner can write it/, /chmod go-w/);
  });

  test('a file with a secret, named by its setting, is looked at as well', async (t) => {
    const path = configFile(t, 'a-long-secret-of-our-own\n', 0o604);
    const diagnosis = await diagnose(await stopped(t, { BRUME_METRICS_TOKEN_FILE: path }));
    assertFailure(diagnosis, 'permissions', /BRUME_METRICS_TOKEN_FILE .*holds a secret/, /chmod 640/);
  });

  test('a state directory into which others can look is told', async (t) => {
    const settings = await stopped(t);
    stateDir(settings, { mode: 0o755, fileMode: 0o644 });
    assertFailure(
      await diagnose(settings),
      'permissions',
      /others than its owner can look into it \(mode 0755\)/,
      /chmod 700/,
    );
  });

  test('a socket that everybody may use is told', async (t) => {
    const settings = await stopped(t);
    const path = settings.BRUME_ADMIN_SOCKET ?? '';
    const server = createServer((_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    t.after(() => server.close());
    chmodSync(path, 0o666);
    const failures = told(await diagnose(settings), 'permissions', 'failure');
    assert.match(failures[0]?.text ?? '', /everybody on this machine may use this socket \(mode 0666\)/);
    assert.match(failures[0]?.remedy ?? '', /SocketMode=0660/);
  });

  test('whoever may not read the configuration is told so, and that nothing was looked at', async (t) => {
    const path = configFile(t, 'BRUME_LOG_LEVEL=info\n', 0);
    const diagnosis = await diagnose(await stopped(t), { args: ['--config', path], behind: WITHOUT_RIGHTS });
    assert.deepEqual(
      diagnosis.findings.map(({ check, state }) => [check, state]),
      [['configuration', 'unseen']],
    );
    assert.equal(diagnosis.exitCode, 1);
    assert.match(diagnosis.findings[0]?.remedy ?? '', /as root/);
  });

  test('what somebody may not look at is unseen, and the rest is looked at', async (t) => {
    const settings = await stopped(t);
    stateDir(settings, { mode: 0, fileMode: 0o600 });
    const diagnosis = await diagnose(settings, { behind: WITHOUT_RIGHTS });
    for (const check of ['permissions', 'stores', 'schema'])
      assert.notEqual(told(diagnosis, check, 'unseen').length, 0, check);
    for (const check of ['listeners', 'disk']) assert.notEqual(told(diagnosis, check, 'ok').length, 0, check);
    assert.equal(diagnosis.exitCode, 0);
  });
});

test('what does not belong to the user of the process that serves, and what that one may not read, are told', (t) => {
  const directory = temporaryDirectory(t);
  const path = configFile(t, 'BRUME_LOG_LEVEL=info\n', 0o640);
  writeFileSync(join(directory, 'brume.sqlite'), '', { mode: 0o600 });
  const settings = { stateDir: directory, adminSocket: join(directory, 'admin.sock'), socket: null };
  const uid = (process.getuid?.() ?? 0) + 1;
  const running = { process: { pid: 1, uid, gids: [uid + 1000] } };
  const patient = { settings, running, files: [{ path, variable: null, isSecret: false }] };
  const found = examinePermissions(patient as unknown as Patient);
  const texts = found.filter(({ state }) => state === 'failure').map(({ text }) => text);
  assert.equal(texts.length, 2);
  assert.match(texts[0] ?? '', /brume\.conf: .*, who runs Brume, may not read it \(mode 0640, of /);
  assert.match(texts[1] ?? '', /\., brume\.sqlite does not belong to .*, who runs Brume/);
});

test('who may read a file goes by owner, groups and the rest, as the kernel judges', () => {
  const user: ServiceUser = { name: 'brume', uid: 5, gids: [6, 7] };
  const file = (mode: number, uid: number, gid: number) =>
    ({ mode, uid, gid }) as Parameters<typeof mayRead>[1];
  assert.equal(mayRead(user, file(0o400, 5, 0)), true);
  assert.equal(mayRead(user, file(0o077, 5, 6)), false);
  assert.equal(mayRead(user, file(0o640, 0, 7)), true);
  assert.equal(mayRead(user, file(0o604, 0, 7)), false);
  assert.equal(mayRead(user, file(0o640, 0, 0)), false);
  assert.equal(mayRead(user, file(0o644, 0, 0)), true);
  assert.equal(mayRead({ ...user, uid: 0 }, file(0, 5, 5)), true);
});
