import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { onSharedStores } from './load/house.ts';
import { assertBackAtOnce, assertLossless, assertLosslessAndQuick, assertReplaced } from './load/judged.ts';
import type { LoadedGuest } from './load/loaded-guest.ts';
import { FEW_A_SECOND, struck } from './load/struck.ts';

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

test('Redis and PostgreSQL: of a process that is killed under load only what was under way fails, it is back at once, and no count is lost', async () => {
  await assertBackAtOnce(() => struck({ guest, loaded }, 'KILL'), 'in Redis');
});

test('Redis and PostgreSQL: a process that is frozen under load is replaced by the watchdog, and nobody is refused', async () => {
  assertReplaced(await struck({ guest, loaded }, 'STOP', FEW_A_SECOND), 'in Redis');
});
