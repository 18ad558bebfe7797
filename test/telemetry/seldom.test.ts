import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seldom } from '../../src/telemetry/seldom.ts';
import { ManualTime } from '../support/manual-time.ts';

function flooded() {
  const time = new ManualTime();
  const lines: string[] = [];
  const seldom = new Seldom(time, { timers: time });
  const run = (kind: string, text: string, times = 1) => {
    for (let i = 0; i < times; i++) seldom.run(kind, (left) => lines.push(`${kind} ${text} +${left}`));
  };
  return { time, lines, run };
}

test('when a flood ends, what was left out last is written at the end of its second, and nothing after', async () => {
  const { time, lines, run } = flooded();
  run('a', 'first');
  run('a', 'more', 98);
  run('a', 'last');
  assert.deepEqual(lines, ['a first +0']);
  await time.advance(999);
  assert.equal(lines.length, 1);
  await time.advance(1);
  assert.deepEqual(lines, ['a first +0', 'a last +98']);
  await time.advance(60_000);
  assert.equal(lines.length, 2);
  assert.equal(time.timerCount, 0);
});

test('a flood that goes on is one line a second for each kind, and every case is in a count', async () => {
  const { time, lines, run } = flooded();
  for (let ms = 0; ms < 3000; ms += 100) {
    run('a', 'again', 10);
    if (ms === 0) run('b', 'once');
    await time.advance(100);
  }
  await time.advance(1000);
  assert.equal(lines.filter((line) => line.startsWith('b')).length, 1);
  const counts = lines.filter((line) => line.startsWith('a')).map((line) => Number(line.split('+')[1]));
  assert.ok(counts.length <= 4, lines.join(', '));
  assert.equal(counts.length + counts.reduce((sum, left) => sum + left, 0), 300);
});

test('the next of its kind after a quiet second is written at once', async () => {
  const { time, lines, run } = flooded();
  run('a', 'first');
  await time.advance(1000);
  run('a', 'second');
  assert.deepEqual(lines, ['a first +0', 'a second +0']);
});
