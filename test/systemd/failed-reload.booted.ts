import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';
import { assertServes, assertStopped, COLOURS } from './states.ts';

const EXECUTABLE = '/usr/bin/brume';
const AWAY = '/usr/bin/brume.away';
/** What is an executable of another architecture: no more than its header. */
const OTHER_ARCHITECTURE =
  '\\177ELF\\002\\001\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\002\\000\\267\\000';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
  await guest.write('/etc/systemd/system/brume@.service.d/patience.conf', '[Service]\nTimeoutStartSec=20\n');
  await guest.must('systemctl', 'daemon-reload');
});
afterEach(restoreExecutable);
after(() => guest?.end());

/** Puts something else in place of the executable: the script makes it, at the path that is $1. */
async function breakExecutable(script: string): Promise<void> {
  await guest.must('mv', EXECUTABLE, AWAY);
  await guest.must('sh', '-c', script, 'sh', EXECUTABLE);
}

async function restoreExecutable(): Promise<void> {
  await guest.run('sh', '-c', `if [ -e ${AWAY} ]; then mv ${AWAY} ${EXECUTABLE}; fi`);
}

const BROKEN = {
  'is not there': { script: ':', reason: /Failed to locate executable/ },
  'is not executable': { script: 'printf "#!/bin/sh\\n" >"$1"; chmod 644 "$1"', reason: /Permission denied/ },
  'is of another architecture': {
    script: `printf '${OTHER_ARCHITECTURE}' >"$1"; chmod 755 "$1"`,
    reason: /Exec format error/,
  },
  'ends with 1': {
    script: 'printf "#!/bin/sh\\necho what is the matter >&2\\nexit 1\\n" >"$1"; chmod 755 "$1"',
    reason: /what is the matter\n.*status=1\/FAILURE/,
  },
  'never gets ready': {
    script: 'printf "#!/bin/sh\\nexec sleep 1000\\n" >"$1"; chmod 755 "$1"',
    reason: /start operation timed out/,
  },
} as const;

for (const [what, { script, reason }] of Object.entries(BROKEN)) {
  test(`an executable that ${what}: the reload fails and says so, and the last process serves on`, async () => {
    await startAnew(guest);
    const before = await serving(guest);
    await breakExecutable(script);
    await assertFails('reload', reason);
    await assertServes(guest);
    assert.deepEqual(await serving(guest), before);
    assert.equal(await guest.must('systemctl', '--failed', '--no-legend', '--plain'), '');
    await restoreExecutable();
    await guest.must('systemctl', 'reload', 'brume.service');
    await assertServes(guest);
  });
}

test('a faulty configuration: the reload fails, says which variable, and the last process serves on', async () => {
  await startAnew(guest);
  const before = await serving(guest);
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await assertFails('reload', /BRUME_NO_SUCH_SETTING.*there is no such setting/);
  await assertServes(guest);
  assert.deepEqual(await serving(guest), before);
});

test('a restart that fails: the last process serves on, brume.service says so, and it is tried again', async () => {
  await startAnew(guest);
  const before = await serving(guest);
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await assertFails('restart', /BRUME_NO_SUCH_SETTING.*there is no such setting/);
  assert.deepEqual(await serving(guest), before);
  assert.equal(await guest.property('brume.service', 'SubState'), 'auto-restart');
  await guest.write('/etc/brume/brume.conf', '');
  await assertServes(guest);
  assert.notDeepEqual(await serving(guest), before);
});

test('a start that fails says why in the same place, and is tried again until it succeeds', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await assertFails('start', /BRUME_NO_SUCH_SETTING.*there is no such setting/);
  await guest.write('/etc/brume/brume.conf', '');
  await assertServes(guest);
});

for (const [what, script] of [
  ['no executable', ':'],
  ['a process that crashes', 'printf "#!/bin/sh\\nexit 1\\n" >"$1"; chmod 755 "$1"'],
] as const) {
  test(`a reload while nothing serves, with ${what}: it fails, brume.service says so, and goes on trying`, async () => {
    await startAnew(guest);
    const { unit = '' } = (await serving(guest)) ?? {};
    await breakExecutable(script);
    await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
    await waitFor('nothing to serve', async () => (await serving(guest)) === undefined);
    assert.notEqual((await guest.run('systemctl', 'reload', 'brume.service')).exitCode, 0);
    await waitFor(
      'brume.service to say that it is down',
      async () => (await guest.property('brume.service', 'SubState')) === 'auto-restart',
    );
    await restoreExecutable();
    await assertServes(guest);
  });
}

test('a reload while nothing serves can be followed by a stop', async () => {
  await startAnew(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  await breakExecutable(':');
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
  await waitFor('nothing to serve', async () => (await serving(guest)) === undefined);
  await guest.run('systemctl', 'reload', 'brume.service');
  await guest.must('systemctl', 'stop', 'brume.service');
  await assertStopped(guest);
});

/** The action fails, and the reason is in the journal of brume.service itself, after what was there. */
async function assertFails(action: 'start' | 'reload' | 'restart', reason: RegExp): Promise<void> {
  const before = await guest.journal('brume.service');
  assert.notEqual((await guest.run('systemctl', action, 'brume.service')).exitCode, 0);
  const said = (await guest.journal('brume.service')).slice(before.length);
  assert.match(said, reason, await guest.journal(...COLOURS));
  assert.equal(/goes on serving/.test(said), action !== 'start', said);
}
