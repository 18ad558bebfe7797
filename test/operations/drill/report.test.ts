import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outcomeRows, reportLines } from '../../../src/operations/drill/report.ts';
import type { DrillReport } from '../../../src/operations/drill/run-drill.ts';
import { timelineOf } from '../../../src/operations/drill/timeline.ts';

const TIMELINE = timelineOf([], { beganMs: 0, endingMs: 6000, endedMs: 6100, limit: 25, lateMs: 1000 });

function reportOf(some: Partial<DrillReport>, seen: Partial<DrillReport['timeline']> = {}): DrillReport {
  return {
    drill: 'redis-loss',
    beganAt: '2026-11-30T12:00:00.000Z',
    version: '1.2.3',
    nodes: ['http://a:8600'],
    rate: 50,
    policy: 'open',
    fault: 'stop Redis',
    faultMs: 6100,
    limit: 25,
    timeline: { ...TIMELINE, detectedMs: 200, ...seen },
    outcomes: [],
    isMet: true,
    nothingHappened: null,
    endFailed: null,
    slices: [],
    faultAtMs: 4000,
    faultEndAtMs: 10_100,
    notUndone: [],
    ...some,
  };
}

function factOf(what: string, report: DrillReport): string | undefined {
  return reportLines(report).facts.find(([of]) => of === what)?.[1];
}

describe('the report of a drill', () => {
  it('says when all was counted again, after the beginning and by the end', () => {
    const recovered = (seen: Partial<DrillReport['timeline']>, faultMs: number | null = 6100) =>
      factOf('recovered', reportOf({ faultMs }, seen));
    const takenOver = { recoveredMs: 4000, recoveredAfterEndMs: 0, isRecoveredBeforeEnd: true };
    equal(recovered(takenOver), '4000 ms after it began, 2100 ms before it ended');
    const broughtBack = { recoveredMs: 6500, recoveredAfterEndMs: 400, isRecoveredBeforeEnd: false };
    equal(recovered(broughtBack), '6500 ms after it began, 400 ms after it ended');
    // It was due before the end, and answered after it.
    const waited = { recoveredMs: 5900, recoveredAfterEndMs: 0, isRecoveredBeforeEnd: false };
    equal(recovered(waited), '5900 ms after it began, 0 ms after it ended');
    equal(recovered(takenOver, null), '4000 ms after it began');
    equal(recovered({ detectedMs: null }), 'nothing to recover from');
  });

  it('says from when on the objective is taken', () => {
    const outcome = { objective: 'recoveredMs', wanted: 5000, seen: 4000, isMet: true } as const;
    const rows = outcomeRows([
      { ...outcome, since: 'began' },
      { objective: 'lost', wanted: 0, seen: 1, isMet: false, since: null },
    ]);
    deepEqual(rows, [
      ['counted again, ms after it began', '5000', '4000', 'met'],
      ['checks without a verdict', '0', '1', 'not met'],
    ]);
  });

  it('is no success where nothing happened, or the end failed', () => {
    const idle = reportLines(reportOf({ isMet: false, nothingHappened: 'all was there.' }));
    equal(idle.verdict, 'The drill shows nothing. Nothing happened: all was there.');
    const stuck = reportOf({ isMet: false, endFailed: 'It ended with 4: exit 4' });
    match(reportLines(stuck).verdict, /could not be ended/);
    equal(factOf('not ended', stuck), 'It ended with 4: exit 4');
  });

  it('keeps what went wrong by itself apart', () => {
    const before = { checks: 200, degraded: 1, lost: 0, late: 2 };
    equal(
      factOf('before it began', reportOf({}, { before })),
      'of 200 checks 1 degraded, 0 lost, 2 late by themselves',
    );
    equal(factOf('before it began', reportOf({})), undefined);
  });
});
