import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import type { CounterCheck } from '../../../src/limiter/counters.ts';
import { systemTimers } from '../../../src/stores/cache/timers.ts';
import { BorrowedCounters } from '../../../src/stores/embedded/borrowed-counters.ts';
import { openEmbeddedCounters } from '../../../src/stores/embedded/open-embedded-counters.ts';
import { setOf } from '../../support/counter-engines.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const set = setOf({ name: 'default', algorithm: 'fixed_window', limit: 100, windowMs: 366 * 86_400_000 });

function checkOf(key: string, requestKey?: string): CounterCheck {
  return { key, set, cost: 1, peek: false, ...(requestKey !== undefined && { requestKey }) };
}

function optionsIn(stateDir: string) {
  const common = { clock: systemClock, timers: systemTimers, log: new RecordedLog(), identifiersMax: 1000 };
  return { ...common, stateDir };
}

async function serving(t: TestContext) {
  const options = optionsIn(temporaryDirectory(t));
  const counters = await openEmbeddedCounters({ ...options, isDirectoryOwned: false });
  return { options, counters };
}

test('what was counted before and after it was read beforehand is there, with answers, and resets stay', async (t) => {
  const { options, counters } = await serving(t);
  await counters.check(checkOf('before', 'one'));
  await counters.check(checkOf('reset'));
  // A reset is on disk when it resolves, and everything before it.
  await counters.reset('nobody');
  const borrowed = await BorrowedCounters.read(options);
  assert.ok(borrowed);
  assert.ok(borrowed.counters.size >= 1);
  await counters.check(checkOf('before', 'two'));
  await counters.check(checkOf('after'));
  await counters.reset('reset');
  await counters.close();
  await borrowed.own();
  const next = borrowed.counters;
  t.after(() => next.close());
  const used = async (key: string): Promise<number> => {
    const { limits } = await next.check({ ...checkOf(key), cost: 0, peek: true });
    return 100 - (limits[0]?.remaining ?? Number.NaN);
  };
  assert.deepEqual([await used('before'), await used('after'), await used('reset')], [2, 1, 0]);
  for (const id of ['one', 'two'])
    assert.equal((await next.check(checkOf('before', id))).isRepeated, true, id);
  assert.equal(await used('before'), 2);
});

test('what is counted after it was taken over is on disk for the next one', async (t) => {
  const { options, counters } = await serving(t);
  await counters.check(checkOf('alice'));
  await counters.reset('nobody');
  const borrowed = await BorrowedCounters.read(options);
  await counters.close();
  await borrowed?.own();
  await borrowed?.counters.check(checkOf('alice'));
  await borrowed?.counters.close();
  const reopened = await openEmbeddedCounters({ ...options, isDirectoryOwned: false });
  t.after(() => reopened.close());
  assert.equal((await reopened.check(checkOf('alice'))).limits[0]?.remaining, 97);
});

test('a process that has closed them goes on with what it kept, also if not all could be written', async (t) => {
  const { options, counters } = await serving(t);
  await counters.check(checkOf('alice'));
  await counters.close();
  const known = counters.kept();
  assert.equal(known?.isRewriteWanted, false);
  const again = await openEmbeddedCounters({ ...options, isDirectoryOwned: false, known });
  t.after(() => again.close());
  assert.equal((await again.check(checkOf('alice'))).limits[0]?.remaining, 98);
});

test('where nobody has counted yet there is nothing to borrow', async (t) => {
  assert.equal(await BorrowedCounters.read(optionsIn(temporaryDirectory(t))), undefined);
});
