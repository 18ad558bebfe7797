import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DrillName } from '../../../src/operations/drill/fault.ts';
import type { Sample } from '../../../src/operations/drill/load.ts';
import { objectivesOf, outcomesOf } from '../../../src/operations/drill/objectives.ts';
import { slicesOf } from '../../../src/operations/drill/slices.ts';
import { subjectsFor } from '../../../src/operations/drill/subjects.ts';
import { isWellAgain, timelineOf } from '../../../src/operations/drill/timeline.ts';

function sample(dueMs: number, some: Partial<Sample> = {}): Sample {
  const endMs = dueMs + 5;
  return {
    dueMs,
    sentMs: dueMs,
    endMs,
    node: 'http://a',
    identifier: 'ann',
    fault: null,
    isAllowed: true,
    isDegraded: false,
    ...some,
  };
}

const MOMENTS = { beganMs: 900, endingMs: 1700, endedMs: 1800, limit: 100, lateMs: 1000 };

/** Every 100 ms from 0 to 5 s; bad from 1 s to 2 s. */
const SAMPLES = Array.from({ length: 50 }, (_, index) => {
  const dueMs = index * 100;
  const isBad = dueMs >= 1000 && dueMs < 2000;
  return sample(dueMs, { isDegraded: isBad, endMs: dueMs + (isBad ? 50 : 5) });
});

describe('the timeline of a drill', () => {
  it('tells when a fault was felt and when it was over', () => {
    const timeline = timelineOf(SAMPLES, MOMENTS);
    deepEqual([timeline.detectedMs, timeline.recoveredMs, timeline.recoveredAfterEndMs], [150, 1100, 200]);
    deepEqual([timeline.checks, timeline.degraded, timeline.lost, timeline.slowestMs], [50, 10, 0, 50]);
    equal(timeline.heldUpMs, 0);
  });

  it('keeps what went wrong before the fault apart', () => {
    const noisy = SAMPLES.map((each) =>
      each.dueMs === 200
        ? { ...each, isDegraded: true }
        : each.dueMs === 300
          ? { ...each, fault: '503' }
          : each,
    );
    const { degraded, lost, lostBy, before, checks } = timelineOf(noisy, MOMENTS);
    deepEqual([degraded, lost, lostBy, checks], [10, 0, {}, 50]);
    deepEqual(before, { checks: 9, degraded: 1, lost: 0 + 1, late: 0 });
  });

  it('takes an answer that comes late for the fault, from when it was late', () => {
    const well = SAMPLES.map((each) => ({ ...each, isDegraded: false }));
    // Frozen from 1 s to 3 s: all answers come then.
    const frozen = well.map((each) =>
      each.dueMs >= 1000 && each.dueMs < 3000 ? { ...each, endMs: 3000 } : each,
    );
    const { detectedMs, recoveredMs, late, degraded, lost } = timelineOf(frozen, MOMENTS);
    // Of those due from 1000 to 1900 each waits for longer than a second.
    deepEqual([detectedMs, recoveredMs, late, degraded, lost], [1100, 1100, 10, 0, 0]);
    const heldUp = well.map((each) => (each.dueMs === 1000 ? { ...each, sentMs: 2500, endMs: 2505 } : each));
    equal(timelineOf(heldUp, MOMENTS).detectedMs, null);
  });

  it('tells how late the drill itself was', () => {
    const late = SAMPLES.map((each) => (each.dueMs === 3000 ? { ...each, sentMs: 3070, endMs: 3080 } : each));
    const { heldUpMs, slowestMs } = timelineOf(late, MOMENTS);
    deepEqual([heldUpMs, slowestMs], [70, 80]);
  });

  it('takes nothing for over before it was well for a second', () => {
    const cut = SAMPLES.filter(({ dueMs }) => dueMs < 2900);
    equal(timelineOf(cut, MOMENTS).recoveredMs, null);
    const load = { samples: SAMPLES, unanswered: [] };
    equal(isWellAgain(load, 1800, 2700), false);
    equal(isWellAgain(load, 1800, 3500), true);
  });

  it('takes nothing for over while checks wait that nobody answers', () => {
    const waiting = { dueMs: 2000, sentMs: 2000, node: 'http://b', identifier: 'ann' };
    equal(isWellAgain({ samples: SAMPLES, unanswered: [waiting] }, 1800, 3500), false);
    const justSent = { ...waiting, dueMs: 3490 };
    equal(isWellAgain({ samples: SAMPLES, unanswered: [justSent] }, 1800, 3500), true);
  });

  it('leaves out of the recovery what went wrong as the drill stopped looking', () => {
    const struck = SAMPLES.map((each) => (each.dueMs === 4700 ? { ...each, isDegraded: true } : each));
    const timeline = timelineOf(struck, MOMENTS);
    deepEqual([timeline.recoveredMs, timeline.degraded], [1100, 11]);
  });

  it('tells nothing of a fault that nobody felt', () => {
    const well = SAMPLES.map((each) => ({ ...each, isDegraded: false }));
    const { detectedMs, recoveredMs } = timelineOf(well, MOMENTS);
    deepEqual([detectedMs, recoveredMs], [null, null]);
  });

  it('tells what was admitted above the limit from what the policy let pass', () => {
    const samples = [
      ...Array.from({ length: 7 }, (_, index) => sample(index, { identifier: 'ann' })),
      ...Array.from({ length: 3 }, (_, index) => sample(10 + index, { identifier: 'ann', isDegraded: true })),
      ...Array.from({ length: 4 }, (_, index) => sample(20 + index, { identifier: 'bob' })),
      ...Array.from({ length: 3 }, (_, index) => sample(30 + index, { identifier: 'bob', isDegraded: true })),
      sample(40, { identifier: 'bob', isAllowed: false }),
    ];
    const { aboveLimit, uncounted } = timelineOf(samples, { ...MOMENTS, beganMs: 0, limit: 5 });
    deepEqual([aboveLimit, uncounted], [2, 3 + 2]);
  });

  it('counts what got no verdict by its reason', () => {
    const samples = [
      sample(0),
      sample(1, { fault: '503' }),
      sample(2, { fault: '503' }),
      sample(3, { fault: 'ECONNRESET' }),
    ];
    const { lost, lostBy } = timelineOf(samples, { ...MOMENTS, beganMs: 0, limit: 5 });
    deepEqual([lost, lostBy], [3, { 503: 2, ECONNRESET: 1 }]);
  });
});

describe('the objectives of a drill', () => {
  const objectives = { recoveredMs: 500, lost: 0, aboveLimit: 0, slowestMs: 100 };
  const timeline = timelineOf(SAMPLES, MOMENTS);

  it('are held against the recovery after the end, or after the beginning of what ends by itself', () => {
    const met = (isOverBySelf: boolean) =>
      outcomesOf(timeline, objectives, isOverBySelf).find(({ objective }) => objective === 'recoveredMs');
    deepEqual([met(false)?.seen, met(false)?.isMet], [200, true]);
    deepEqual([met(true)?.seen, met(true)?.isMet], [1100, false]);
  });

  it('are held against the recovery after the beginning where another server took over before the end', () => {
    const recovered = (endingMs: number) => {
      const seen = timelineOf(SAMPLES, { ...MOMENTS, endingMs, endedMs: endingMs + 100 });
      return outcomesOf(seen, objectives, false)[0];
    };
    // At 2 s all is counted again: well before it was ended, or as it was.
    deepEqual(recovered(4000), {
      objective: 'recoveredMs',
      wanted: 500,
      seen: 1100,
      isMet: false,
      since: 'began',
    });
    deepEqual(recovered(2500), {
      objective: 'recoveredMs',
      wanted: 500,
      seen: 0,
      isMet: true,
      since: 'ended',
    });
  });

  it('that are not set allow above the limits what the fault may cost, and no more', () => {
    const wanted = { ...objectives, aboveLimit: null };
    const boundOf = (drill: DrillName, rate: number) =>
      objectivesOf(wanted, drill, subjectsFor(rate)).aboveLimit;
    deepEqual([boundOf('redis-flush', 50), boundOf('redis-flush', 4)], [100, 8]);
    deepEqual([boundOf('redis-failover', 50), boundOf('redis-loss', 200)], [25, 100]);
    deepEqual([boundOf('restart', 50), boundOf('node-loss', 50), boundOf('postgres-loss', 50)], [0, 0, 0]);
    equal(objectivesOf({ ...objectives, aboveLimit: 3 }, 'redis-flush', subjectsFor(50)).aboveLimit, 3);
  });

  it('are not met by what never recovered', () => {
    const never = { ...timeline, recoveredMs: null, recoveredAfterEndMs: null };
    equal(outcomesOf(never, objectives, false)[0]?.isMet, false);
  });
});

it('the load of a drill uses half of what it asks for up, of four callers at a time', () => {
  const { limit, identifierAt } = subjectsFor(50);
  const asked = Array.from({ length: 1000 }, (_, index) => identifierAt((index * 1000) / 50));
  const counts = Map.groupBy(asked, (identifier) => identifier);
  equal(counts.get('caller-10')?.length, 50);
  equal(limit, 25);
});

it('the slices of a drill hold every check once', () => {
  const slices = slicesOf(SAMPLES, 0);
  equal(slices.length, 50);
  deepEqual(slices[10], { atMs: 1000, counted: 0, degraded: 1, lost: 0, slowestMs: 50 });
});
