import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';
import { assertServes, DATA } from './states.ts';

const SOCKET_FILES = ['/run/brume/brume.sock', '/run/brume/admin.sock'];

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

test('B61: systemctl start, restart and reload return when /ready answers, and not before', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume.service');
  for (const action of ['start', 'restart', 'reload']) {
    await guest.must('systemctl', action, 'brume.service');
    // Asked of the process, not of the socket, which would hold the question until somebody listens.
    const { unit = '' } = (await serving(guest)) ?? {};
    assert.match(await guest.property(unit, 'StatusText'), /^serving /, action);
    assert.equal((await guest.get(`${DATA}/ready`)).status, 200, action);
  }
});

test('B61: the files of the sockets stay the same through a reload, a restart and a crash', async () => {
  await startAnew(guest);
  const inodes = () => guest.must('stat', '-c', '%n %i', ...SOCKET_FILES);
  const before = await inodes();
  await guest.must('systemctl', 'reload', 'brume.service');
  assert.equal(await inodes(), before);
  await guest.must('systemctl', 'restart', 'brume.service');
  assert.equal(await inodes(), before);
  await assertServes(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
  await assertServes(guest);
  assert.equal(await inodes(), before);
  await guest.must('brume', 'status');
});

test('B61: sockets that were handed to another process are not taken for its own', async () => {
  const { exitCode, stdout, stderr } = await guest.run(
    'systemd-run',
    '--quiet',
    '--pipe',
    '--wait',
    '--collect',
    ...['LISTEN_PID=1', 'LISTEN_FDS=1', 'LISTEN_FDNAMES=data'].map((setting) => `--setenv=${setting}`),
    'brume',
    'serve',
    '--systemd',
  );
  assert.equal(exitCode, 78, stderr);
  assert.match(stdout + stderr, /no socket of the data plane/);
});
