import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
  // What hangs is to hang for as long as it is looked at.
  await guest.write('/etc/systemd/system/brume@.service.d/watchdog.conf', '[Service]\nWatchdogSec=0\n');
  await guest.must('systemctl', 'daemon-reload');
});
after(() => guest?.end());

/** Where `brume runbook check node-down` says that one is. */
async function whereItIs(): Promise<string | undefined> {
  const { stdout } = await guest.run('brume', 'runbook', 'check', 'node-down', '--json');
  return (JSON.parse(stdout) as { branch: { title: string } | null }).branch?.title;
}

test('a process that hangs is told as that, and a stop and a start mend it, as the runbook says', async () => {
  await startAnew(guest);
  const { pid = '' } = (await serving(guest)) ?? {};
  await guest.must('kill', '-STOP', pid);
  assert.equal(await whereItIs(), 'It hangs');
  await guest.must('systemctl', 'stop', 'brume');
  await guest.must('systemctl', 'start', 'brume');
  assert.equal(await whereItIs(), 'It runs, and Prometheus can not read it');
});

test('a configuration that is not valid is told as that while systemd holds the sockets', async () => {
  await startAnew(guest);
  await guest.write('/etc/brume/brume.conf', 'BRUME_LISTEN=nowhere\n');
  const { unit = '' } = (await serving(guest)) ?? {};
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
  await waitFor('nobody to serve', async () => (await serving(guest)) === undefined);
  assert.equal(await whereItIs(), 'The configuration is not valid');
});
