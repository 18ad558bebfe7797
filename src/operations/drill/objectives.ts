import type { Timeline } from './timeline.ts';

/** What an operator promises to hold through a fault; from the configuration. */
export interface Objectives {
  /** From the fault's end to the first check that is counted again; of a failover from its beginning. */
  readonly recoveredMs: number;
  /** Checks without a verdict. */
  readonly lost: number;
  /** Admitted by the counters beyond the limits. */
  readonly aboveLimit: number;
  readonly slowestMs: number;
}

export interface Outcome {
  readonly objective: keyof Objectives;
  readonly wanted: number;
  /** Null: it never came to that. */
  readonly seen: number | null;
  readonly isMet: boolean;
}

export function outcomesOf(timeline: Timeline, objectives: Objectives, isOverBySelf: boolean): Outcome[] {
  const { detectedMs, recoveredMs, recoveredAfterEndMs, lost, aboveLimit, slowestMs } = timeline;
  // Whoever was never away needs no recovery.
  const recovered = detectedMs === null ? 0 : isOverBySelf ? recoveredMs : recoveredAfterEndMs;
  const seen = { recoveredMs: recovered, lost, aboveLimit, slowestMs };
  return (Object.keys(seen) as (keyof Objectives)[]).map((objective) => {
    const value = seen[objective];
    const wanted = objectives[objective];
    return { objective, wanted, seen: value, isMet: value !== null && value <= wanted };
  });
}
