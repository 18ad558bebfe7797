import type { CallBlocks } from '../../limiter/calls/call-blocks.ts';
import { type CallCeiling, dayCeiling, rateCeiling } from '../../limiter/calls/call-ceiling.ts';
import type { BudgetOf } from '../../tenancy/budget.ts';
import type { Caller } from './caller.ts';

/** What of the configuration concerns the calls of a key; a part of Config. */
export interface ActorConfig {
  /** Calls a second; null: as many as it likes. */
  readonly actorRate: number | null;
  /** Null: as many as in a second. */
  readonly actorBurst: number | null;
}

/** Counts a call of a caller: 0, or after how many whole seconds there may be one. */
export type TakeCall = (caller: Caller) => number | Promise<number>;

/** Undefined: keys may make as many calls as they like. */
export function actorCalls(blocks: CallBlocks, { actorRate, actorBurst }: ActorConfig): TakeCall | undefined {
  if (actorRate === null) return undefined;
  const ceiling = rateCeiling(actorRate, actorBurst ?? actorRate);
  return ({ keyId }) => blocks.take(`key ${keyId}`, ceiling);
}

/** The calls that a project's tier gives it for a day. */
export function budgetCalls(blocks: CallBlocks, budgetOf: BudgetOf): TakeCall {
  // As many as there are tiers.
  const ceilings = new Map<number, CallCeiling>();
  return ({ projectId }) => {
    const budget = budgetOf(projectId);
    if (budget === null) return 0;
    let ceiling = ceilings.get(budget);
    if (ceiling === undefined) {
      if (ceilings.size >= CEILINGS_MAX) ceilings.clear();
      ceiling = dayCeiling(budget);
      ceilings.set(budget, ceiling);
    }
    return blocks.take(`project ${projectId}`, ceiling);
  };
}

const CEILINGS_MAX = 1000;
