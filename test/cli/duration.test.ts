import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, formatTime, parseDurationMs } from '../../src/cli/duration.ts';

test('durations have a unit', () => {
  const durations = {
    '500ms': 500,
    '60s': 60_000,
    '5m': 300_000,
    '1h': 3_600_000,
    '1d': 86_400_000,
    '0s': 0,
  };
  for (const [text, durationMs] of Object.entries(durations)) assert.equal(parseDurationMs(text), durationMs);
});

test('anything else is no duration', () => {
  for (const text of [
    '',
    '60',
    's',
    '1.5s',
    '-1s',
    '1e3ms',
    ' 1s',
    '1 s',
    '1S',
    '1w',
    '01s',
    '9007199254740993ms',
    '1s1s',
  ]) {
    assert.equal(parseDurationMs(text), undefined, text);
  }
});

test('a duration that was shown can be given back', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (ms) => parseDurationMs(formatDuration(ms)) === ms));
  assert.deepEqual([0, 1, 1500, 60_000, 90_000, 86_400_000].map(formatDuration), [
    '0d',
    '1ms',
    '1500ms',
    '1m',
    '90s',
    '1d',
  ]);
});

test('times are shown to the second, in UTC', () => {
  assert.equal(formatTime('2026-11-29T21:53:04.123Z'), '2026-11-29 21:53:04Z');
  assert.equal(formatTime(0), '1970-01-01 00:00:00Z');
  assert.equal(formatTime(null), null);
  assert.equal(formatTime('soon'), 'soon');
});
