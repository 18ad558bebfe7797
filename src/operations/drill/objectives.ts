import type { DrillName } from './fault.ts';
import type { Subjects } from './subjects.ts';
import type { Timeline } from './timeline.ts';

/** What an operator promises to hold through a fault; from the configuration. */
export interface Objectives {
  /**
   * From the fault's end to the first check that is counted again; from its beginning where that came by itself: of a
   * failover, and where another server took over while the fault lasted.
   */
  readonly recoveredMs: number;
  /** Checks without a verdict. */
  readonly lost: number;
  /** Admitted by the counters beyond the limits. */
  readonly aboveLimit: number;
  readonly slowestMs: number;
}

/** What of them is configured; null: what the drill's fault may cost at most. */
export type WantedObjectives = Omit<Objectives, 'aboveLimit'> & { readonly aboveLimit: number | null };

/** After which faults a Redis counts that may not have all that was counted. */
const MOVES_COUNTS: readonly DrillName[] = ['redis-failover', 'redis-hang', 'redis-loss'];

export function objectivesOf(wanted: WantedObjectives, drill: DrillName, subjects: Subjects): Objectives {
  return { ...wanted, aboveLimit: wanted.aboveLimit ?? aboveLimitBound(drill, subjects) };
}

/**
 * What was forgotten is admitted once more. After a flush that is all that was used: of whoever is asked about then,
 * at most a limit each. Where another Redis counts, or one that was started again, it is what that one had not
 * received or saved, which is held to a second's worth. Other faults cost no counts.
 */
function aboveLimitBound(drill: DrillName, { limit, atATime, admittedPerSecond }: Subjects): number {
  if (drill === 'redis-flush') return atATime * limit;
  return MOVES_COUNTS.includes(drill) ? admittedPerSecond : 0;
}

export interface Outcome {
  readonly objective: keyof Objectives;
  readonly wanted: number;
  /** Null: it never came to that. */
  readonly seen: number | null;
  readonly isMet: boolean;
  /** From when on a time was taken; null: of no time. */
  readonly since: 'began' | 'ended' | null;
}

export function outcomesOf(timeline: Timeline, objectives: Objectives, isOverBySelf: boolean): Outcome[] {
  const { detectedMs, recoveredMs, recoveredAfterEndMs, isRecoveredBeforeEnd } = timeline;
  const { lost, aboveLimit, slowestMs } = timeline;
  // What came back before it was brought back would have taken as long without that.
  const since = isOverBySelf || isRecoveredBeforeEnd ? 'began' : 'ended';
  // Whoever was never away needs no recovery.
  const recovered = detectedMs === null ? 0 : since === 'began' ? recoveredMs : recoveredAfterEndMs;
  const seen = { recoveredMs: recovered, lost, aboveLimit, slowestMs };
  return (Object.keys(seen) as (keyof Objectives)[]).map((objective) => {
    const value = seen[objective];
    const wanted = objectives[objective];
    const isMet = value !== null && value <= wanted;
    return { objective, wanted, seen: value, isMet, since: objective === 'recoveredMs' ? since : null };
  });
}
