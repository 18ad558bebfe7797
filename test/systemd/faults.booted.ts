import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { logged, serving, startAnew } from './started-brume.ts';

const DATA = 'http://127.0.0.1:8600';
const COLOURS = ['brume@blue.service', 'brume@green.service'];
const SOCKETS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket'];

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

/** How often either colour was started since `cursor`. */
async function startsSince(cursor: string): Promise<number> {
  const units = COLOURS.flatMap((unit) => ['-u', unit]);
  const journal = await guest.must(
    'journalctl',
    '--no-pager',
    '-o',
    'cat',
    '--after-cursor',
    cursor,
    ...units,
  );
  return journal.split('\n').filter((line) => line.startsWith('Starting brume@')).length;
}

/** The journal's place of now. */
async function cursor(): Promise<string> {
  const shown = await guest.must('journalctl', '--no-pager', '-n', '1', '--show-cursor', '-o', 'cat');
  return /^-- cursor: (.+)$/m.exec(shown)?.[1] ?? '';
}

async function assertSocketsLive(): Promise<void> {
  for (const unit of SOCKETS) assert.equal(await guest.property(unit, 'ActiveState'), 'active', unit);
}

test('B65: the unit as it is shipped starts, and leaves no core', async () => {
  await startAnew(guest);
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
  const { pid = '' } = (await serving(guest)) ?? {};
  assert.match(await guest.must('cat', `/proc/${pid}/limits`), /^Max core file size +0 +0 /m);
});

test('B65: a broken executable is tried ever more seldom, under traffic and all, fails no socket, and comes back by itself', async () => {
  await startAnew(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  const from = await cursor();
  await guest.must('mv', '/usr/bin/brume', '/usr/bin/brume.away');
  try {
    await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
    const callers = guest.callers(10, 1);
    await delay(20_000);
    // At once twice, then after 1, 2, 4 and 8 s.
    const starts = await startsSince(from);
    assert.ok(starts >= 2 && starts <= 7, `${starts} starts in 20 s\n${await guest.journal(...COLOURS)}`);
    await assertSocketsLive();
    await guest.must('mv', '/usr/bin/brume.away', '/usr/bin/brume');
    // Who connected meanwhile was never refused, and is answered at last.
    const { sent, ends } = await callers;
    assert.deepEqual(ends, { 200: sent });
  } finally {
    await guest.run('mv', '/usr/bin/brume.away', '/usr/bin/brume');
  }
});

test('B65: what fails before its starts can be counted is tried once a second, and comes back by itself', async () => {
  await startAnew(guest);
  const { unit = '', pid } = (await serving(guest)) ?? {};
  const from = await cursor();
  await guest.must('mv', '/usr/lib/brume/back-off', '/usr/lib/brume/back-off.away');
  try {
    await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
    await delay(5000);
    const starts = await startsSince(from);
    assert.ok(starts >= 2 && starts <= 6, `${starts} starts in 5 s\n${await guest.journal(...COLOURS)}`);
    await assertSocketsLive();
  } finally {
    await guest.must('mv', '/usr/lib/brume/back-off.away', '/usr/lib/brume/back-off');
  }
  const isBack = async () => ![undefined, pid].includes((await serving(guest))?.pid);
  await waitFor('another process to serve', isBack, { timeoutMs: 30_000 });
});

test('B65: what could not be started at all is tried every 10 s, under traffic and all, and fails no socket', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  const from = await cursor();
  const start = await guest.run('systemctl', 'start', 'brume.service');
  assert.notEqual(start.exitCode, 0, 'who starts it is told');
  const callers = guest.callers(10, 1);
  await delay(15_000);
  const starts = await startsSince(from);
  assert.ok(starts >= 1 && starts <= 3, `${starts} starts in 15 s\n${await guest.journal()}`);
  await assertSocketsLive();
  assert.equal(await guest.property('brume@blue.service', 'ExecMainStatus'), '78');
  await guest.write('/etc/brume/brume.conf', '');
  const { sent, ends } = await callers;
  assert.deepEqual(ends, { 200: sent });
});

test('a faulty configuration, and a broken executable, leave the old process serving, and the reload fails', async () => {
  await startAnew(guest);
  const before = await serving(guest);
  const other = COLOURS.find((unit) => unit !== before?.unit) ?? '';
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  assert.notEqual((await guest.run('systemctl', 'reload', 'brume.service')).exitCode, 0);
  assert.deepEqual(await serving(guest), before);
  assert.match(await guest.journal(other), /BRUME_NO_SUCH_SETTING/);
  assert.ok((await guest.journal('brume.service')).includes(`${before?.unit} goes on serving`));
  await guest.write('/etc/brume/brume.conf', '');
  await guest.must('mv', '/usr/bin/brume', '/usr/bin/brume.away');
  try {
    assert.notEqual((await guest.run('systemctl', 'reload', 'brume.service')).exitCode, 0);
  } finally {
    await guest.must('mv', '/usr/bin/brume.away', '/usr/bin/brume');
  }
  assert.deepEqual(await serving(guest), before);
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
  assert.notEqual(await guest.property(other, 'ActiveState'), 'active');
});

test('a process that crashes, and meets a faulty configuration, leaves a service that fails and comes back by itself', async () => {
  await startAnew(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
  await waitFor(
    'the service to fail',
    async () => (await guest.property('brume.service', 'SubState')) === 'auto-restart',
  );
  await assertSocketsLive();
  await guest.write('/etc/brume/brume.conf', '');
  await waitFor('a process that serves', () => serving(guest), { timeoutMs: 60_000, everyMs: 200 });
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
});

test('without its sockets it ends with 78 and what to do, and listens nowhere', async () => {
  await guest.must('systemctl', 'stop', 'brume.service');
  const { exitCode, stdout, stderr } = await guest.run(
    'systemd-run',
    '--quiet',
    '--pipe',
    '--wait',
    '--collect',
    'brume',
    'serve',
    '--systemd',
  );
  assert.equal(exitCode, 78, stderr);
  assert.match(stdout + stderr, /no socket of the data plane.*systemctl start brume/);
  assert.equal((await guest.get(`${DATA}/health`)).status, 0);
});

test('an address that the sockets do not have is refused with what to do', async () => {
  await startAnew(guest);
  await guest.write('/etc/brume/brume.conf', 'BRUME_LISTEN=0.0.0.0:8600\n');
  assert.notEqual((await guest.run('systemctl', 'reload', 'brume.service')).exitCode, 0);
  assert.match(
    await guest.journal(...COLOURS),
    /BRUME_LISTEN.*it is 0\.0\.0\.0:8600, but systemd listens on 127\.0\.0\.1:8600.*systemctl edit brume\.socket/,
  );
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
});

test('a process that was killed is replaced at once, and nobody is refused meanwhile', async () => {
  await startAnew(guest);
  const first = await serving(guest);
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', first?.unit ?? '');
  const { sent, ends } = await guest.callers(20, 3);
  assert.deepEqual(ends, { 200: sent });
  const second = await waitFor('a process that serves', () => serving(guest));
  assert.notEqual(second.pid, first?.pid);
});

test('B61: a frozen process is noticed by the watchdog, and replaced', async () => {
  await startAnew(guest);
  const first = await serving(guest);
  await guest.must('systemctl', 'kill', '--signal=STOP', '--kill-whom=main', first?.unit ?? '');
  const second = await waitFor(
    'another process',
    async () => {
      const found = await serving(guest);
      return found !== undefined && found.pid !== first?.pid && found;
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  assert.equal(second.unit, first?.unit);
  assert.match(await guest.journal(second.unit), /Watchdog timeout/);
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
});

test('a process that is well is left alone by the watchdog', async () => {
  await startAnew(guest);
  const first = await serving(guest);
  const watchdogMs = Number.parseInt(await guest.property(first?.unit ?? '', 'WatchdogUSec'), 10) * 1000;
  await delay(watchdogMs * 1.25);
  assert.deepEqual(await serving(guest), first);
});

test('HUP ends nothing: the process goes on, with a line that says so', async () => {
  await startAnew(guest);
  const first = await serving(guest);
  await guest.must('systemctl', 'kill', '--signal=HUP', '--kill-whom=main', first?.unit ?? '');
  await waitFor('the line', async () =>
    (await logged(guest, first?.unit ?? '')).some(({ msg }) =>
      String(msg).startsWith('ignored: the configuration is read'),
    ),
  );
  assert.deepEqual(await serving(guest), first);
});
