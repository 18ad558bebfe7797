import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Anchor, Calendar, ENDLESS_MS, PERIODS, type Period } from '../../src/limiter/calendar.ts';

const MIDNIGHT = { minute: 0, weekday: 1, day: 1, month: 1 } as const;

function calendar(period: Period, timeZone: string, anchor: Partial<Anchor> = {}): Calendar {
  return new Calendar({ period, timeZone, anchor: { ...MIDNIGHT, ...anchor } });
}

function periodAt(at: string, ...spec: Parameters<typeof calendar>): [string, string] {
  const { startMs, endMs } = calendar(...spec).edgesAt(Date.parse(at));
  return [new Date(startMs).toISOString(), new Date(endMs).toISOString()];
}

function secondsLeft(at: string, ...spec: Parameters<typeof calendar>): number {
  return (calendar(...spec).edgesAt(Date.parse(at)).endMs - Date.parse(at)) / 1000;
}

describe('the periods of a calendar', () => {
  it('B22: a day in Shanghai begins at its own midnight', () => {
    assert.equal(secondsLeft('2026-06-01T15:59:50Z', 'day', 'Asia/Shanghai'), 10);
    assert.equal(secondsLeft('2026-06-01T16:00:05Z', 'day', 'Asia/Shanghai'), 86_395);
  });

  it('B22: a month that is billed on day 31 begins on the last day of shorter months', () => {
    const billed = ['month', 'UTC', { day: 31 }] as const;
    assert.deepEqual(periodAt('2027-02-27T23:59:59Z', ...billed), [
      '2027-01-31T00:00:00.000Z',
      '2027-02-28T00:00:00.000Z',
    ]);
    assert.deepEqual(periodAt('2027-02-28T00:00:00Z', ...billed), [
      '2027-02-28T00:00:00.000Z',
      '2027-03-31T00:00:00.000Z',
    ]);
    assert.deepEqual(periodAt('2028-02-29T12:00:00Z', ...billed), [
      '2028-02-29T00:00:00.000Z',
      '2028-03-31T00:00:00.000Z',
    ]);
  });

  it('B22: a year that begins on 29 February begins on the 28th where there is none', () => {
    const leap = ['year', 'UTC', { month: 2, day: 29 }] as const;
    assert.deepEqual(periodAt('2027-06-01T00:00:00Z', ...leap), [
      '2027-02-28T00:00:00.000Z',
      '2028-02-29T00:00:00.000Z',
    ]);
  });

  it('B23: days with a change of the clocks have 25 or 23 hours', () => {
    assert.equal(secondsLeft('2026-10-24T22:00:00Z', 'day', 'Europe/Paris'), 90_000);
    assert.equal(secondsLeft('2027-03-27T23:00:00Z', 'day', 'Europe/Paris'), 82_800);
    assert.equal(secondsLeft('2026-11-01T04:00:00Z', 'day', 'America/New_York'), 90_000);
    assert.equal(secondsLeft('2027-03-14T05:00:00Z', 'day', 'America/New_York'), 82_800);
  });

  it('B23: a beginning that the clocks skip is the instant of their change', () => {
    const halfPastTwo = ['day', 'Europe/Paris', { minute: 150 }] as const;
    assert.equal(periodAt('2027-03-28T00:00:00Z', ...halfPastTwo)[1], '2027-03-28T01:00:00.000Z');
    assert.equal(periodAt('2027-03-28T01:00:00Z', ...halfPastTwo)[0], '2027-03-28T01:00:00.000Z');
  });

  it('B23: a beginning that comes twice is the first of the two', () => {
    const paris = periodAt('2026-10-25T01:00:00Z', 'day', 'Europe/Paris', { minute: 150 });
    assert.deepEqual(paris, ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
    const newYork = periodAt('2026-11-01T06:00:00Z', 'day', 'America/New_York', { minute: 90 });
    assert.deepEqual(newYork, ['2026-11-01T05:30:00.000Z', '2026-11-02T06:30:00.000Z']);
  });

  it('a week begins on its weekday', () => {
    assert.equal(periodAt('2026-11-29T12:00:00Z', 'week', 'UTC')[0], '2026-11-23T00:00:00.000Z');
    assert.equal(
      periodAt('2026-11-29T12:00:00Z', 'week', 'UTC', { weekday: 7 })[0],
      '2026-11-29T00:00:00.000Z',
    );
  });

  it('an hour begins by the zone’s own clock, also half an hour off', () => {
    assert.equal(periodAt('2026-11-29T12:10:00Z', 'hour', 'Asia/Kolkata')[0], '2026-11-29T11:30:00.000Z');
  });

  it('never is one period without an end', () => {
    assert.deepEqual(calendar('never', 'UTC').edgesAt(1), {
      previousMs: 0,
      startMs: 0,
      endMs: ENDLESS_MS,
      afterMs: ENDLESS_MS,
    });
  });

  it('hold every moment, follow on each other, and are never empty', () => {
    const zones = [
      'UTC',
      'Europe/Paris',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
    ];
    const property = fc.property(
      fc.constantFrom(...PERIODS.filter((period) => period !== 'never')),
      fc.constantFrom(...zones),
      fc.record({
        minute: fc.integer({ min: 0, max: 59 }),
        weekday: fc.integer({ min: 1, max: 7 }),
        day: fc.integer({ min: 1, max: 31 }),
        month: fc.integer({ min: 1, max: 12 }),
      }),
      fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2040, 0) }),
      (period, timeZone, anchor, nowMs) => {
        const { previousMs, startMs, endMs, afterMs } = calendar(period, timeZone, anchor).edgesAt(nowMs);
        assert.ok(previousMs <= startMs && startMs <= nowMs && nowMs < endMs && endMs <= afterMs);
        const next = calendar(period, timeZone, anchor).edgesAt(endMs);
        assert.deepEqual([next.previousMs, next.startMs], [startMs, endMs]);
        assert.equal(calendar(period, timeZone, anchor).edgesAt(endMs - 1).startMs, startMs);
      },
    );
    fc.assert(property, { numRuns: 1000 });
  });

  it('are known by an id that is the same for the same calendar only', () => {
    const ids = [
      calendar('day', 'UTC'),
      calendar('day', 'UTC'),
      calendar('day', 'Europe/Paris'),
      calendar('week', 'UTC'),
    ];
    const [first, second, ...others] = ids.map(({ id }) => id);
    assert.equal(first, second);
    assert.equal(new Set([first, ...others]).size, 3);
  });

  it('a time zone that nobody knows is refused', () => {
    assert.throws(() => calendar('day', 'Mars/Olympus'), RangeError);
  });
});
