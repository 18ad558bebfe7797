import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';
import {
  assertServes,
  assertStopped,
  COLOURS,
  colourIn,
  DATA,
  hold,
  letHold,
  release,
  SOCKETS,
  UNITS,
} from './states.ts';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
  await letHold(guest);
});
afterEach(() => release(guest));
after(() => guest?.end());

async function kill(unit: string, signal = 'KILL'): Promise<void> {
  await guest.must('systemctl', 'kill', `--signal=${signal}`, '--kill-whom=main', unit);
}

test('a start of what runs changes nothing', async () => {
  await startAnew(guest);
  const before = await serving(guest);
  await guest.must('systemctl', 'start', 'brume.service');
  assert.deepEqual(await serving(guest), before);
});

test('two reloads at once: both succeed, and one process serves', async () => {
  await startAnew(guest);
  const before = await serving(guest);
  await Promise.all([1, 2].map(() => guest.must('systemctl', 'reload', 'brume.service')));
  await assertServes(guest);
  assert.notEqual((await serving(guest))?.pid, before?.pid);
});

test('a reload in the middle of a start waits for it, and one process serves', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume.service');
  await hold(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'start', 'brume.service');
  await colourIn(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
  await release(guest);
  await waitFor(
    'both to be done',
    async () => (await guest.must('systemctl', 'list-jobs', '--no-legend')) === '',
    { timeoutMs: 60_000, everyMs: 100 },
  );
  await assertServes(guest);
});

test('the process that serves is killed while the next one starts: in the end one serves', async () => {
  await startAnew(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  await hold(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
  await colourIn(guest, 'start-pre');
  await kill(unit);
  await release(guest);
  await assertServes(guest);
});

test('the next process is killed while it starts: the reload fails, and the last one serves on', async () => {
  await startAnew(guest);
  const before = await serving(guest);
  await hold(guest, 'start-pre');
  const reload = guest.run('systemctl', 'reload', 'brume.service');
  const next = await colourIn(guest, 'start-pre');
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=all', next);
  assert.notEqual((await reload).exitCode, 0);
  await assertServes(guest);
  assert.deepEqual(await serving(guest), before);
});

test('the rescue target stops it, and the one that wants it starts it again', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'isolate', 'rescue.target');
  await waitFor(
    'the sockets to close',
    async () => (await guest.property('brume.socket', 'ActiveState')) === 'inactive',
  );
  await assertStopped(guest);
  await guest.must('systemctl', 'isolate', 'multi-user.target');
  await assertServes(guest);
});

test('the admin socket is stopped alone: everything else serves, also after a reload; a restart opens it again', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume-admin.socket');
  for (const action of [undefined, 'reload']) {
    if (action !== undefined) await guest.must('systemctl', action, 'brume.service');
    assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
    assert.equal((await guest.get('http://127.0.0.1:8610/ready')).status, 200);
    assert.notEqual((await guest.run('brume', 'status')).exitCode, 0);
  }
  await guest.must('systemctl', 'restart', 'brume.service');
  await assertServes(guest);
  await guest.must('brume', 'status');
});

test('a reboot: what is enabled serves, and has what was counted and written before', async () => {
  await startAnew(guest);
  await guest.must('brume', 'project', 'create', 'kept');
  await guest.must('brume', 'namespace', 'create', 'kept', 'login', '--limit', '5', '--window', '1h');
  await guest.must('brume', 'limit', 'kept', 'login', 'alice');
  await guest.reboot();
  await assertServes(guest);
  const verdict = JSON.parse(await guest.must('brume', 'limit', 'kept', 'login', 'alice', '--json'));
  assert.equal(verdict.remaining, 3);
});

test('a reboot with the sockets alone enabled: the first connection starts it', async () => {
  await guest.must('systemctl', 'disable', '--quiet', 'brume.service');
  await guest.reboot();
  assert.equal(await guest.property('brume.service', 'ActiveState'), 'inactive');
  for (const unit of SOCKETS) assert.equal(await guest.property(unit, 'ActiveState'), 'active', unit);
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
  await assertServes(guest);
});

test('a reboot with all of it disabled: nothing runs, nothing listens', async () => {
  await guest.must('systemctl', 'disable', '--quiet', ...UNITS);
  await guest.reboot();
  await assertStopped(guest);
  await guest.must('systemctl', 'enable', '--quiet', ...UNITS);
});

test('a reboot with brume.service masked: nothing runs, nothing listens, and the system is well', async () => {
  await guest.must('systemctl', 'mask', '--quiet', 'brume.service');
  await guest.reboot();
  await assertStopped(guest);
  for (const unit of COLOURS) assert.equal(await guest.property(unit, 'ActiveState'), 'inactive');
  await guest.must('systemctl', 'unmask', '--quiet', 'brume.service');
  await guest.must('systemctl', 'start', 'brume.service');
  await assertServes(guest);
});
