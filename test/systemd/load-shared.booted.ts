import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { onSharedStores } from './load/house.ts';
import { assertLossless, assertLosslessAndQuick, assertOnlyUnderWay, summary } from './load/judged.ts';
import type { LoadedGuest } from './load/loaded-guest.ts';
import { serving } from './started-brume.ts';

let guest: Guest;
let loaded: LoadedGuest;
before(async () => {
  guest = await Guest.boot();
  loaded = await onSharedStores(guest);
});
after(() => guest?.end());

for (let time = 1; time <= 5; time++) {
  test(`Redis and PostgreSQL: reload ${time} of 5 under load loses nothing, and nobody waits for a second`, async () => {
    await assertLosslessAndQuick(() =>
      loaded.during(() => guest.must('systemctl', 'reload', 'brume.service')),
    );
  });
}

for (let time = 1; time <= 5; time++) {
  test(`Redis and PostgreSQL: restart ${time} of 5 under load loses nothing`, async () => {
    assertLossless(await loaded.during(() => guest.must('systemctl', 'restart', 'brume.service')));
  });
}

/** Signals the process that serves, and waits until another does. */
async function replaced(signal: string): Promise<void> {
  const first = await serving(guest);
  await guest.must('systemctl', 'kill', `--signal=${signal}`, '--kill-whom=main', first?.unit ?? '');
  const isAnother = async () => {
    const now = await serving(guest);
    return now !== undefined && now.pid !== first?.pid;
  };
  await waitFor('another process', isAnother, { timeoutMs: 90_000, everyMs: 100 });
}

test('Redis and PostgreSQL: of a process that is killed under load only what was under way fails, nobody is refused, and no count is lost', async () => {
  const report = await loaded.during(() => replaced('KILL'));
  assertOnlyUnderWay(report);
  assert.deepEqual(report.miscounts, [], summary(report));
});

test('Redis and PostgreSQL: a process that is frozen under load is replaced by the watchdog, and nobody is refused', async () => {
  // Few: they wait until it is replaced.
  const report = await loaded.during(() => replaced('STOP'), 15);
  const { faults, toldMs, miscounts } = report;
  assert.deepEqual(
    faults.filter(({ what, sentMs }) => what === 'ECONNREFUSED' || sentMs > toldMs),
    [],
    summary(report),
  );
  assert.deepEqual(miscounts, [], summary(report));
});
