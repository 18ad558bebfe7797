import { after, afterEach, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { startAnew } from './started-brume.ts';
import {
  assertServes,
  assertStopped,
  colourIn,
  hold,
  killSwitch,
  letHold,
  release,
  SOCKETS,
} from './states.ts';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
  await letHold(guest);
});
afterEach(() => release(guest));
after(() => guest?.end());

async function stop(): Promise<void> {
  await guest.must('systemctl', 'stop', 'brume.service');
}

const WHILE = { 'start-pre': 'is not there yet', 'start-post': 'is there' } as const;

for (const action of ['start', 'reload', 'restart'] as const) {
  for (const phase of ['start-pre', 'start-post'] as const) {
    test(`B61: a stop in the middle of a ${action}, while the next process ${WHILE[phase]}: nothing runs, nothing listens`, async () => {
      await startAnew(guest);
      if (action === 'start') await stop();
      await hold(guest, phase);
      await guest.must('systemctl', '--no-block', action, 'brume.service');
      await colourIn(guest, phase);
      await stop();
      await assertStopped(guest);
    });
  }
}

/** Has `unit` stay for a second after its script has looked what it is to end; `then` is done meanwhile. */
async function onceItHasLooked(unit: string, key: string, then: () => Promise<void>): Promise<void> {
  const dropIn = `/run/systemd/system/${unit}.d/looked.conf`;
  await guest.write(dropIn, `[Service]\n${key}=/bin/sh -c "touch /run/looked; sleep 1"\n`);
  await guest.must('systemctl', 'daemon-reload');
  try {
    await guest.must('systemctl', '--no-block', 'restart', 'brume.service');
    const hasLooked = async () => (await guest.run('test', '-e', '/run/looked')).exitCode === 0;
    await waitFor('it to have looked', hasLooked);
    await then();
  } finally {
    await guest.must('rm', '-f', dropIn, '/run/looked');
    await guest.must('systemctl', 'daemon-reload');
  }
}

test('a stop in the middle of a restart that has looked already what it is to end: nothing runs, nothing listens', async () => {
  await startAnew(guest);
  await onceItHasLooked('brume.service', 'ExecStopPost', stop);
  await assertStopped(guest);
});

test('the same where the restart is of one that waits to be tried again, beside a process that serves', async () => {
  await startAnew(guest);
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await guest.run('systemctl', 'restart', 'brume.service');
  await onceItHasLooked('brume-stop.service', 'ExecStop', stop);
  await assertStopped(guest);
});

for (const [last, assertEnd] of [
  ['stop', assertStopped],
  ['restart', assertServes],
  ['start', assertServes],
] as const) {
  test(`stopped, restarted and then a ${last}, while the process drains: what came last counts`, async () => {
    await startAnew(guest);
    await hold(guest, 'stop');
    await guest.must('systemctl', '--no-block', 'stop', 'brume.service');
    await colourIn(guest, 'stop');
    for (const action of ['restart', 'stop', 'restart', last])
      await guest.must('systemctl', '--no-block', action, 'brume.service');
    await release(guest);
    await assertEnd(guest);
  });
}

test('a restart in the middle of a reload ends in one process that serves, on the sockets that were there', async () => {
  await startAnew(guest);
  const since = await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic');
  await hold(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
  await colourIn(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'restart', 'brume.service');
  await release(guest);
  await assertServes(guest);
  if ((await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic')) !== since) {
    throw new Error('the socket was closed');
  }
});

test('a stop while it waits to be tried again', async () => {
  await startAnew(guest);
  await stop();
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await guest.run('systemctl', 'start', 'brume.service');
  await waitFor(
    'it to wait',
    async () => (await guest.property('brume.service', 'SubState')) === 'auto-restart',
  );
  await stop();
  await assertStopped(guest);
});

test('a stop after the switch of a start was killed', async () => {
  await startAnew(guest);
  await stop();
  await hold(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'start', 'brume.service');
  await colourIn(guest, 'start-pre');
  await killSwitch(guest);
  await waitFor(
    'it to wait',
    async () => (await guest.property('brume.service', 'SubState')) === 'auto-restart',
  );
  await stop();
  await assertStopped(guest);
});

test('a stop where only the sockets are open', async () => {
  await startAnew(guest);
  await stop();
  await guest.must('systemctl', 'start', ...SOCKETS);
  await stop();
  await assertStopped(guest);
});

test('a stop of what is stopped', async () => {
  await startAnew(guest);
  await stop();
  await stop();
  await assertStopped(guest);
});

test('a stop of the data socket stops everything, and a start starts it', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume.socket');
  await waitFor(
    'the admin socket to close',
    async () => (await guest.property('brume-admin.socket', 'ActiveState')) === 'inactive',
  );
  await assertStopped(guest);
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
});

test('masked while it runs, it stops; masked, nothing listens; and unmasked it starts', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'mask', '--quiet', '--now', 'brume.service');
  try {
    await waitFor(
      'the sockets to close',
      async () => (await guest.property('brume.socket', 'ActiveState')) === 'inactive',
    );
    await assertStopped(guest);
    await guest.must('systemctl', 'start', ...SOCKETS);
    await assertStopped(guest);
  } finally {
    await guest.must('systemctl', 'unmask', '--quiet', 'brume.service');
  }
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
});
