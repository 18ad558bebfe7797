import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { askAdmin } from '../support/admin-socket.ts';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';
import { assertServes, assertStopped } from './states.ts';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

async function colourThatServes(): Promise<{ unit: string; pid: string }> {
  return (await serving(guest)) ?? assert.fail('none serves');
}

/** The one that serves is told to end, by its own name and not by brume.service's. */
const TOLD = {
  'a signal': (unit: string) => ['systemctl', 'kill', '--signal=TERM', '--kill-whom=main', unit],
  'systemctl stop': (unit: string) => ['systemctl', 'stop', unit],
};

for (const [how, command] of Object.entries(TOLD)) {
  test(`a process that is told to end by ${how} is replaced, and nobody is refused meanwhile`, async () => {
    await startAnew(guest);
    const first = await colourThatServes();
    const callers = guest.callers(20, 3);
    await guest.must(...command(first.unit));
    const { sent, ends } = await callers;
    assert.deepEqual(ends, { 200: sent });
    await assertServes(guest);
    assert.notEqual((await colourThatServes()).pid, first.pid);
    await guest.must('systemctl', 'stop', 'brume.service');
    await assertStopped(guest);
  });
}

test('a process that crashes while its directory is away is tried ever more seldom, and comes back with it', async () => {
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.must('rm', '-rf', '/var/lib/brume');
  await guest.must('mkdir', '/srv/state');
  await guest.must('ln', '-s', '/srv/state', '/var/lib/brume');
  await startAnew(guest);
  const { unit } = await colourThatServes();
  await guest.must('mv', '/srv/state', '/srv/away');
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
  await waitFor('a few starts', async () => Number(await guest.property(unit, 'NRestarts')) >= 3, {
    timeoutMs: 30_000,
    everyMs: 100,
  });
  await delay(3000);
  // After 1, 2 and 4 s: without a pause there would be dozens.
  const restarts = Number(await guest.property(unit, 'NRestarts'));
  assert.ok(restarts <= 6, `${restarts} starts\n${await guest.journal(unit)}`);
  await guest.must('mv', '/srv/away', '/srv/state');
  await assertServes(guest);
});

test('sockets that are stopped and opened anew while a process serves: the next one has them', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume-management.socket');
  await guest.must('systemctl', 'restart', 'brume.service');
  await assertServes(guest);
  assert.equal((await guest.get('http://127.0.0.1:8610/ready')).status, 200);

  const callers = guest.callers(20, 3);
  await guest.must('systemctl', 'restart', 'brume.socket');
  await callers;
  await assertServes(guest);
  // Fails unless that is 200.
  await askAdmin(`/proc/${guest.leader}/root/run/brume/brume.sock`, 'GET', '/ready');
});

test('a data socket that can not be opened anew leaves the process that serves alone; a stop ends it', async () => {
  await startAnew(guest);
  const first = await colourThatServes();
  const dropIn = '/run/systemd/system/brume.socket.d/elsewhere.conf';
  await guest.write(dropIn, '[Socket]\nListenStream=192.0.2.1:8600\n');
  await guest.must('systemctl', 'daemon-reload');
  try {
    assert.notEqual((await guest.run('systemctl', 'restart', 'brume.socket')).exitCode, 0);
    // Whoever looks after the restart has seen what became of it.
    const isOver = async () =>
      (await guest.must('systemctl', 'list-units', '--no-legend', 'run-*.service')) === '';
    await waitFor('all to be at rest', isOver);
    assert.deepEqual(await colourThatServes(), first);
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
    await guest.must('systemctl', 'stop', 'brume.service');
  } finally {
    await guest.must('rm', '-f', dropIn);
    await guest.must('systemctl', 'daemon-reload');
    await guest.must('systemctl', 'reset-failed');
  }
  await assertStopped(guest);
});
