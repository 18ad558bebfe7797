import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { onEmbeddedStores } from './load/house.ts';
import { assertLossless, assertLosslessAndQuick } from './load/judged.ts';
import type { LoadedGuest } from './load/loaded-guest.ts';

let guest: Guest;
let loaded: LoadedGuest;
before(async () => {
  guest = await Guest.boot();
  loaded = await onEmbeddedStores(guest);
});
after(() => guest?.end());

for (let time = 1; time <= 5; time++) {
  test(`embedded stores: reload ${time} of 5 under load loses nothing, and nobody waits for a second`, async () => {
    await assertLosslessAndQuick(() =>
      loaded.during(() => guest.must('systemctl', 'reload', 'brume.service')),
    );
  });
}

for (let time = 1; time <= 5; time++) {
  test(`embedded stores: restart ${time} of 5 under load loses nothing`, async () => {
    assertLossless(await loaded.during(() => guest.must('systemctl', 'restart', 'brume.service')));
  });
}
