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

/** Starts it once the script has made something else of the state directory, which was removed. */
async function startOn(script: string): Promise<void> {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.run('umount', DIRECTORY);
  await guest.must('sh', '-c', `rm -rf ${DIRECTORY} && ${script}`);
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

test('it may be a symbolic link to a directory elsewhere, which then belongs to Brume with all that is in it', async () => {
  await startOn(`mkdir -p /srv/state && touch /srv/state/restored && ln -s /srv/state ${DIRECTORY}`);
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
  await assertIsBrumes('/srv/state');
  assert.equal(await guest.must('stat', '-c', '%U:%G', '/srv/state/restored'), 'brume:brume');
  assert.equal(await guest.must('readlink', DIRECTORY), '/srv/state');
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
