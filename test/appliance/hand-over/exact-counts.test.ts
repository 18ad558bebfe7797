import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OnSharedSockets, SharedSockets } from '../../support/shared-sockets.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Caller, startLoad } from './calls.ts';

const HAND_OVERS = 20;
const LIMIT = 60;

test('over 20 hand-overs under load exactly the limit is admitted of each identifier, and no call fails', async (t) => {
  const shared = await SharedSockets.open(t);
  let serving = await shared.start();
  const caller = await Caller.of(shared, { login: LIMIT });
  let round = 0;
  const load = startLoad(caller, { callers: 8, namespace: 'login', identifier: () => `user-${round}` });
  t.after(() => load.stop());
  const ends: Promise<number>[] = [];
  const frozenMs: number[] = [];
  for (; round < HAND_OVERS; round++) {
    const next: OnSharedSockets = await shared.launch();
    // Half of the limit is used before it takes over; the other half, and what is too much, while it does.
    await next.untilLogged('the stores were read beforehand');
    await next.untilLogged('"msg":"ready"');
    ends.push(serving.ended);
    const old = serving;
    serving = next;
    await waitFor(
      'the limit to be used',
      async () => (await caller.used('login', `user-${round}`)) === LIMIT,
    );
    frozenMs.push(Number(/"frozenMs":(\d+)/.exec(old.log())?.[1]));
  }
  const { admitted, faults } = await load.stop();
  assert.deepEqual(faults, []);
  const expected = Array.from({ length: HAND_OVERS }, (_, at) => [`user-${at}`, LIMIT]);
  assert.deepEqual(
    [...admitted]
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => Number(a.slice(5)) - Number(b.slice(5))),
    expected,
  );
  assert.deepEqual(new Set(await Promise.all(ends)), new Set([0]));
  t.diagnostic(`frozen ms: ${frozenMs.join(' ')}`);
});
