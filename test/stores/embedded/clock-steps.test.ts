import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { freshKey, setOf } from '../../support/counter-engines.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { TwoClocks } from '../../support/two-clocks.ts';

const HOUR_MS = 3_600_000;
const MINUTE = setOf({ algorithm: 'fixed_window', limit: 5, windowMs: 60_000 });

test('a step of the clock by an hour is logged and counted once, in either direction; drift is not', async () => {
  const clocks = new TwoClocks();
  const log = new RecordedLog();
  const counters = new EmbeddedCounters({ clock: clocks, identifiersMax: 100, log });
  const check = () => counters.check({ key: freshKey(), set: MINUTE, cost: 1, peek: false });

  for (let seconds = 0; seconds < 20; seconds++) {
    clocks.pass(1000);
    clocks.step(100);
    await check();
  }
  assert.equal(counters.stats().clockSteps, 0);
  assert.equal(counters.stats().clockSteppedAtMs, undefined);
  clocks.step(HOUR_MS);
  await check();
  await check();
  clocks.step(-HOUR_MS);
  await check();
  await check();
  assert.equal(counters.stats().clockSteps, 2);
  assert.equal(counters.stats().clockSteppedAtMs, clocks.nowMs());
  const lines = log.lines.filter((line) => line.startsWith('warn: the clock of this host stepped'));
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /stepped forwards: windows and periods end early/);
  assert.match(lines[1] ?? '', /stepped back: what was used stays/);
});
