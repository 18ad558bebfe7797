import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { startAnew } from './started-brume.ts';
import { assertServes } from './states.ts';

const DIRECTORY = '/var/lib/brume';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

/** Has it stopped, and the script make something else of the state directory, which was removed. */
async function startOn(script: string): Promise<void> {
  await remove();
  await startAnew(guest);
  await remove();
  await guest.must('sh', '-c', script);
}

async function remove(): Promise<void> {
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.run('umount', DIRECTORY);
  await guest.must('rm', '-rf', DIRECTORY);
}

async function assertIsBrumes(path: string): Promise<void> {
  assert.equal(await guest.must('stat', '-c', '%U:%G %a', path), 'brume:brume 700');
  assert.match(await guest.must('ls', path), /^brume\.sqlite$/m);
}

test('it is made where it is missing', async () => {
  await startOn(':');
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
  await assertIsBrumes(DIRECTORY);
});

test('it may be a symbolic link to a directory elsewhere, which then belongs to Brume', async () => {
  await startOn(`mkdir -p /srv/state/lost+found && ln -s /srv/state ${DIRECTORY}`);
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
  await assertIsBrumes('/srv/state');
  assert.equal(await guest.must('readlink', DIRECTORY), '/srv/state');
});

test('what root has restored there becomes Brume’s by name, and nothing else does', async () => {
  await startOn(
    `cd /srv/state && mkdir other && touch other/file file && chown -R root:root . && chmod 755 . && ln -s /srv/state ${DIRECTORY}`,
  );
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
  await assertIsBrumes('/srv/state');
  assert.equal(await guest.must('stat', '-c', '%U:%G', '/srv/state/brume.sqlite'), 'brume:brume');
  const others = await guest.must('sh', '-c', 'cd /srv/state && stat -c %U:%G other other/file file');
  assert.equal(others, 'root:root\nroot:root\nroot:root');
});

test('it may be a mount point', async () => {
  await startOn(`mkdir ${DIRECTORY} && mount -t tmpfs -o mode=755 tmpfs ${DIRECTORY}`);
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
  await assertIsBrumes(DIRECTORY);
});

test('a symbolic link to nothing is refused with what it leads to', async () => {
  await startOn(`ln -s /nowhere ${DIRECTORY}`);
  assert.notEqual((await guest.run('systemctl', 'start', 'brume.service')).exitCode, 0);
  assert.match(
    await guest.journal('brume.service'),
    /\/var\/lib\/brume is a symbolic link to \/nowhere, which is not there/,
  );
});

test('a symbolic link to, or a mount of, what others have files in is refused, and nothing of it is changed', async () => {
  const shared = 'mkdir -p /srv/shared/below && touch /srv/shared/below/file && chmod 755 /srv/shared';
  for (const leads of [
    `ln -s /srv/shared ${DIRECTORY}`,
    `mkdir ${DIRECTORY} && mount --bind /srv/shared ${DIRECTORY}`,
  ]) {
    await startOn(`${shared} && ${leads}`);
    await assertRefuses(/where others have files and Brume none: let it lead to an empty directory/);
    assert.equal(await ownersIn('/srv/shared'), 'root:root 755\nroot:root 755\nroot:root 644');
  }
});

test('a symbolic link to a directory of the system is refused, and nothing of it is changed', async () => {
  for (const target of ['/', '/usr', '/home', '/var/lib/../../opt', '/etc/systemd']) {
    await startOn(`ln -s ${target} ${DIRECTORY}`);
    await assertRefuses(/which is (the system's|for more than Brume): let it lead to an empty directory/);
    assert.equal(await guest.must('stat', '-c', '%U:%G %a', `${target}/`), 'root:root 755');
  }
});

/** The start fails, with one line of the reason. */
async function assertRefuses(reason: RegExp): Promise<void> {
  const since = await guest.must('date', '+@%s.%N');
  assert.notEqual((await guest.run('systemctl', 'start', 'brume.service')).exitCode, 0);
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.must('journalctl', '--sync');
  const lines = await guest.must('journalctl', '-o', 'cat', '-t', 'state-directory', '--since', since);
  // The same at each try.
  const [line = '', ...others] = new Set(lines.split('\n'));
  assert.match(line, reason);
  assert.deepEqual(others, []);
}

async function ownersIn(path: string): Promise<string> {
  return guest.must('sh', '-c', `find ${path} | sort | xargs stat -c '%U:%G %a'`);
}
