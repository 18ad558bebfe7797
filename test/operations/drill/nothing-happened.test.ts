import { equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Status } from '../../../src/client/status.ts';
import type { DrillName } from '../../../src/operations/drill/fault.ts';
import { isFelt, nothingHappened } from '../../../src/operations/drill/nothing-happened.ts';
import { type SaidOfItself, StatusWatch } from '../../../src/operations/drill/status-watch.ts';
import { type Timeline, timelineOf } from '../../../src/operations/drill/timeline.ts';

const STATUS = {
  pid: 7,
  startedAt: '2026-11-30T12:00:00.000Z',
  nodes: 2,
  configuration: { kind: 'postgresql', state: 'available' },
  counters: { state: 'available', losses: 1 },
} as Status;

const QUIET: SaidOfItself = {
  wereCountersAway: false,
  wereCountsLost: false,
  wasConfigurationAway: false,
  wereNodesFewer: false,
  wasItselfAway: false,
};

const UNFELT: Timeline = {
  ...timelineOf([], { beganMs: 0, endingMs: 1, endedMs: 1, limit: 1, lateMs: 1000 }),
  checks: 1200,
  before: { checks: 200, degraded: 0, lost: 0, late: 0 },
};

function toldOf(drill: DrillName, some: Partial<SaidOfItself> = {}, timeline = UNFELT): string | null {
  return nothingHappened(drill, { said: { ...QUIET, ...some }, timeline, processes: [STATUS, STATUS] });
}

describe('a drill in which nothing happened', () => {
  it('is known by a node that never said that the store is away, while no check felt anything', () => {
    match(toldOf('redis-loss') ?? '', /counters are available/);
    match(toldOf('redis-hang') ?? '', /counters are available/);
    match(toldOf('postgres-loss') ?? '', /configuration store is available/);
    match(toldOf('node-loss') ?? '', /as many nodes as before/);
    match(toldOf('restart') ?? '', /nothing was restarted, process 7/);
  });

  it('is none where the node said it of the store that was to be taken away, and of no other', () => {
    equal(toldOf('redis-loss', { wereCountersAway: true }), null);
    equal(toldOf('redis-loss', { wereCountsLost: true }), null);
    equal(toldOf('postgres-loss', { wasConfigurationAway: true }), null);
    equal(toldOf('node-loss', { wereNodesFewer: true }), null);
    match(toldOf('redis-loss', { wasConfigurationAway: true }) ?? '', /counters/);
    match(toldOf('postgres-loss', { wereCountersAway: true }) ?? '', /configuration/);
  });

  it('is none where the callers felt it, by more than what goes wrong by itself', () => {
    equal(toldOf('redis-loss', {}, { ...UNFELT, degraded: 3 }), null);
    equal(toldOf('node-loss', {}, { ...UNFELT, lost: 3 }), null);
    equal(isFelt({ ...UNFELT, late: 3 }), true);
    equal(isFelt({ ...UNFELT, aboveLimit: 1 }), true);
    equal(isFelt({ ...UNFELT, degraded: 2 }), false);
    // A machine on which one of a hundred goes wrong at all times: of a thousand that are ten.
    const busy = { ...UNFELT, before: { checks: 200, degraded: 2, lost: 0, late: 0 } };
    equal(isFelt({ ...busy, degraded: 12 }), false);
    equal(isFelt({ ...busy, degraded: 13 }), true);
  });
});

describe('the watch on what a node says of itself', () => {
  const away: Status = { ...STATUS, counters: { ...STATUS.counters, state: 'unavailable', losses: 2 } };
  const alone: Status = { ...STATUS, nodes: 1, configuration: { kind: 'postgresql', state: 'unavailable' } };

  it('remembers what was said once, and looks a last time as it is stopped', async () => {
    const answers = [away, STATUS];
    const watch = new StatusWatch({ status: async () => answers.shift() ?? alone }, STATUS);
    while (answers.length > 0) await new Promise((resolve) => setImmediate(resolve));
    const said = await watch.stop();
    equal(JSON.stringify(said), JSON.stringify({ ...allOf(), wasItselfAway: false }));
  });

  it('takes no answer for one of a node that is away', async () => {
    const watch = new StatusWatch({ status: () => Promise.reject(new Error('gone')) }, STATUS);
    equal(JSON.stringify(await watch.stop()), JSON.stringify({ ...QUIET, wasItselfAway: true }));
  });
});

function allOf(): SaidOfItself {
  return {
    wereCountersAway: true,
    wereCountsLost: true,
    wasConfigurationAway: true,
    wereNodesFewer: true,
    wasItselfAway: true,
  };
}
