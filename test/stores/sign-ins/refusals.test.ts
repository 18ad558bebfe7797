import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusals } from '../../../src/stores/sign-ins/refusals.ts';
import type { RefusedSignIns } from '../../../src/tenancy/identity/refused-sign-ins.ts';
import { ManualTime } from '../../support/manual-time.ts';

const MINUTE_MS = 60_000;

function start() {
  const time = new ManualTime();
  const written: RefusedSignIns[] = [];
  const store = { isAway: false };
  const record = {
    noteRefusals: async (refusals: RefusedSignIns) => {
      if (store.isAway) throw new Error('away');
      written.push(refusals);
    },
  };
  const refusals = new Refusals({ record, clock: time, timers: time });
  const refuse = (login: string | null, address: string, because: 'wrong' | 'throttled' = 'wrong') =>
    refusals.onRefused({ login, address, requestId: 'r', by: 'password', because });
  const counts = () =>
    written.map(({ login, address, wrong, throttled }) => [login, address, wrong, throttled]);
  return { time, written, store, refusals, refuse, counts };
}

test('refused attempts of a login from an address are one entry, a minute after the first', async () => {
  const { time, written, refuse } = start();
  const firstAtMs = time.nowMs();
  refuse('anna', '192.0.2.1');
  await time.advance(1000);
  refuse('anna', '192.0.2.1');
  refuse('anna', '192.0.2.1', 'throttled');
  await time.advance(MINUTE_MS - 1001);
  assert.deepEqual(written, []);
  await time.advance(1);
  assert.deepEqual(written, [
    {
      login: 'anna',
      address: '192.0.2.1',
      requestId: 'r',
      by: 'password',
      wrong: 2,
      throttled: 1,
      firstAtMs,
      lastAtMs: firstAtMs + 1000,
    },
  ]);
  await time.advance(10 * MINUTE_MS);
  assert.equal(written.length, 1, 'nothing more to say');
  assert.equal(time.timerCount, 0);
});

test('what was typed as a login is kept only if a password was looked at for it, so that it exists', async () => {
  const { time, refuse, counts } = start();
  refuse('my secret password', '192.0.2.1', 'throttled');
  refuse('anna', '192.0.2.1');
  await time.advance(MINUTE_MS);
  refuse('anna', '192.0.2.1', 'throttled');
  await time.advance(MINUTE_MS);
  assert.deepEqual(counts(), [
    [null, '192.0.2.1', 0, 1],
    ['anna', '192.0.2.1', 1, 0],
    ['anna', '192.0.2.1', 0, 1],
  ]);
});

test('a flood of a hundred thousand makes eleven entries, and none of it is lost', async () => {
  const { time, written, refuse } = start();
  for (let at = 0; at < 100_000; at++) refuse(`login-${at}`, `192.0.2.${at % 250}`);
  await time.advance(MINUTE_MS);
  assert.equal(written.length, 11);
  assert.equal(
    written.reduce((sum, { wrong }) => sum + wrong, 0),
    100_000,
  );
  const [others] = written.slice(-1);
  assert.deepEqual([others?.login, others?.address, others?.wrong], [null, null, 99_990]);
});

test('while the store is away the counts wait, and at the end what is left is written', async () => {
  const { time, store, refuse, refusals, counts } = start();
  store.isAway = true;
  refuse('anna', '192.0.2.1');
  await time.advance(MINUTE_MS);
  refuse('anna', '192.0.2.1');
  assert.deepEqual(counts(), []);
  store.isAway = false;
  await time.advance(MINUTE_MS);
  assert.deepEqual(counts(), [['anna', '192.0.2.1', 2, 0]]);
  refuse('bert', '192.0.2.1');
  await refusals.stop();
  assert.deepEqual(counts().at(-1), ['bert', '192.0.2.1', 1, 0]);
  assert.equal(time.timerCount, 0);
});
