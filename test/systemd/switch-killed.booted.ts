import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';
import { assertServes, assertStopped, colourIn, hold, killSwitch, letHold, release } from './states.ts';

// A process that stands by gives up after this and a quarter of a minute.
const CONFIGURATION = 'BRUME_DRAIN_MS=1000\n';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
  await letHold(guest);
});
afterEach(() => release(guest));
after(() => guest?.end());

/** Whatever came before, from here on everything is as it should be. */
async function assertIsWell(): Promise<void> {
  await assertServes(guest);
  const before = await serving(guest);
  await guest.must('systemctl', 'reload', 'brume.service');
  await assertServes(guest);
  assert.notEqual((await serving(guest))?.pid, before?.pid);
  await guest.must('systemctl', 'stop', 'brume.service');
  await assertStopped(guest);
}

for (const phase of ['start-pre', 'start-post', 'stop-post'] as const) {
  const inThat = phase === 'stop-post' ? 'the last process has not ended' : `the next process is in ${phase}`;
  test(`killed in a reload while ${inThat}: in the end one serves`, async () => {
    await startAnew(guest, CONFIGURATION);
    await hold(guest, phase);
    await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
    await colourIn(guest, phase);
    await killSwitch(guest);
    await release(guest);
    await assertIsWell();
  });

  test(`killed in a reload while ${inThat}, and followed by another reload at once: one serves`, async () => {
    await startAnew(guest, CONFIGURATION);
    await hold(guest, phase);
    await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
    await colourIn(guest, phase);
    await killSwitch(guest);
    await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
    await release(guest);
    await assertIsWell();
  });
}

test('killed in a reload while the next process starts: in the end one serves', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
  await colourIn(guest, 'start');
  await killSwitch(guest);
  await assertIsWell();
});

test('killed in a reload whose process can not be started: the last one serves on, and the other is left alone', async () => {
  await startAnew(guest, CONFIGURATION);
  const before = await serving(guest);
  await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
  await hold(guest, 'start-pre');
  await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
  await colourIn(guest, 'start-pre');
  await killSwitch(guest);
  await release(guest);
  await colourIn(guest, 'failed');
  await assertServes(guest);
  assert.deepEqual(await serving(guest), before);
});

for (const phase of ['start-pre', 'start-post'] as const) {
  test(`killed in a start while the process is in ${phase}: in the end one serves`, async () => {
    await startAnew(guest, CONFIGURATION);
    await guest.must('systemctl', 'stop', 'brume.service');
    await hold(guest, phase);
    await guest.must('systemctl', '--no-block', 'start', 'brume.service');
    await colourIn(guest, phase);
    await killSwitch(guest);
    await release(guest);
    await assertIsWell();
  });
}

for (const phase of ['start-pre', 'start'] as const) {
  for (const verb of ['restart', 'reload'] as const) {
    test(`a ${verb} while a process that crashed is started again, and in ${phase}: it succeeds, and another serves`, async () => {
      await startAnew(guest, CONFIGURATION);
      // Blue is what is started where nothing serves: of the two that would start, green has the lead.
      await guest.must('systemctl', 'reload', 'brume.service');
      const { unit } = (await serving(guest)) ?? assert.fail('none serves');
      assert.equal(unit, 'brume@green.service');
      await hold(guest, 'start-pre');
      await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
      assert.equal(await colourIn(guest, 'start-pre'), unit);
      if (phase === 'start') {
        await release(guest);
        await colourIn(guest, 'start');
      }
      const startedAgain = await guest.property(unit, 'MainPID');
      const done = guest.must('systemctl', verb, 'brume.service');
      await release(guest);
      await done;
      await assertServes(guest);
      assert.notEqual((await serving(guest))?.pid, startedAgain);
    });
  }
}
