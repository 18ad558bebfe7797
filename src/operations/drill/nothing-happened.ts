import type { Status } from '../../client/status.ts';
import type { DrillName } from './fault.ts';
import type { SaidOfItself } from './status-watch.ts';
import type { Timeline } from './timeline.ts';

/** So many checks more than before the fault have to go wrong: one or two do on a busy machine by themselves. */
const FELT_MIN = 3;

/** Something of the fault came to the callers, and is not what came to them before it as well. */
export function isFelt({ checks, degraded, lost, late, aboveLimit, before }: Timeline): boolean {
  const bad = degraded + lost + late;
  const expected = (bad: number) =>
    before.checks === 0 ? 0 : (bad * (checks - before.checks)) / before.checks;
  return aboveLimit > 0 || bad - expected(before.degraded + before.lost + before.late) >= FELT_MIN;
}

/**
 * Why a drill shows nothing: what it should have taken away was there all the time, as far as anybody can tell. Null:
 * something happened. Of what Brume does by itself its answer tells.
 */
export function nothingHappened(
  drill: DrillName,
  {
    said,
    timeline,
    processes,
  }: {
    readonly said: SaidOfItself;
    readonly timeline: Timeline;
    /** Who served before, and who serves now; undefined: nobody does. */
    readonly processes: readonly [before: Status, after: Status | undefined];
  },
): string | null {
  if (drill === 'restart') return sameProcess(...processes);
  if (isFelt(timeline)) return null;
  switch (drill) {
    case 'redis-loss':
    case 'redis-hang':
      return said.wereCountersAway || said.wereCountsLost
        ? null
        : 'this node said all the time that its counters are available and have lost nothing, and the checks were counted. Is this the Redis of BRUME_REDIS_URL?';
    case 'postgres-loss':
      return said.wasConfigurationAway
        ? null
        : 'this node said all the time that its configuration store is available. Is this the PostgreSQL of BRUME_DATABASE_URL?';
    case 'node-loss':
      return said.wereNodesFewer || said.wasItselfAway
        ? null
        : 'no check was lost, and this node knew of as many nodes as before. One that is killed is missed after 15 s: give it as long with --lasts.';
    default:
      return null;
  }
}

/** A command that did nothing would prove that nothing is lost. */
function sameProcess(before: Status, after: Status | undefined): string | null {
  if (after === undefined || after.pid !== before.pid || after.startedAt !== before.startedAt) return null;
  return `nothing was restarted, process ${after.pid}, of ${after.startedAt}, serves as before.`;
}
