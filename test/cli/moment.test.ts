import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localTime, moment, span } from '../../src/cli/moment.ts';

const SPANS: [number, string][] = [
  [0, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [7_199_000, '1 h 59 min'],
  [7_200_000, '2 h'],
  [86_400_000, '1 d'],
  [90_000_000, '1 d 1 h'],
];

test('a span is told in its two largest units', () => {
  for (const [durationMs, text] of SPANS) assert.equal(span(durationMs), text);
});

test('a time is shown in this machine’s zone with its offset, and means the same', () => {
  const zone = process.env.TZ;
  try {
    for (const [name, local] of [
      ['Europe/Paris', '2026-07-01T14:00:00+02:00'],
      ['America/St_Johns', '2026-07-01T09:30:00-02:30'],
      ['UTC', '2026-07-01T12:00:00+00:00'],
    ] as const) {
      process.env.TZ = name;
      assert.equal(localTime('2026-07-01T12:00:00.123Z'), local);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
  assert.equal(localTime('no time'), 'no time');
});

test('a moment says how far it is', () => {
  const nowMs = Date.parse('2026-07-01T12:00:00Z');
  assert.match(moment('2026-07-01T13:59:30Z', nowMs), /^2026-07-01T.* \(in 1 h 59 min\)$/);
  assert.match(moment('2026-07-01T11:55:00Z', nowMs), /\(5 min ago\)$/);
  assert.equal(moment('no time', nowMs), 'no time');
});
