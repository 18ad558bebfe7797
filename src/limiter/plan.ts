import { type AlgorithmModel, NEVER, NOW, type Standing } from './algorithms/algorithm.ts';
import { type LimitState, modelOf } from './algorithms/models.ts';
import type { CounterOutcome, LimitOutcome, LimitSet } from './counters.ts';
import { capacityOf, type Limit } from './limit.ts';

/** The states of one identifier in one namespace, by limit name. */
export type Records = ReadonlyMap<string, LimitState>;

export interface Decision {
  readonly outcome: CounterOutcome;
  /** What the store must hold from now on; undefined: nothing changed. Limits that are gone are left out. */
  readonly records: Records | undefined;
  /** From this moment on the records are worth no more than none; Infinity for a quota without an end. */
  readonly expiresAtMs: number;
}

/** A limit with its model and with where it stands now. */
interface Planned {
  readonly limit: Limit;
  readonly model: AlgorithmModel<LimitState, Limit>;
  readonly standing: Standing<LimitState>;
  readonly admits: boolean;
}

/**
 * The reference of what lua/check.lua does: looks at every limit first, then commits the cost to all
 * that are enforced or to none; a shadow limit counts for itself what it would admit. Pure, but for
 * the records given, whose states are used up by a commit.
 */
export function decide(
  set: LimitSet,
  records: Records | undefined,
  { cost, peek }: { readonly cost: number; readonly peek: boolean },
  nowMs: number,
): Decision {
  const plan = set.limits.map((limit) => planned(limit, records?.get(limit.name), cost, nowMs));
  const admitted = plan.every(({ limit, admits }) => admits || limit.mode === 'shadow');
  let isChanged = false;
  const settled = plan.map((entry) => {
    const { limit, model, standing, admits } = entry;
    const consumes = cost > 0 && !peek && (limit.mode === 'shadow' ? admits : admitted);
    isChanged ||= consumes || standing.isReanchored;
    return { ...entry, state: consumes ? model.consume(limit, standing.state, cost, nowMs) : standing.state };
  });
  return {
    outcome: {
      admitted,
      isHeldBack: false,
      isRepeated: false,
      nowMs,
      limits: settled.map((entry) => outcomeOf(entry, cost, nowMs)),
    },
    records: isChanged ? new Map(settled.map(({ limit, state }) => [limit.name, state])) : undefined,
    expiresAtMs: Math.max(0, ...settled.map((entry) => expiryOf(entry, nowMs))),
  };
}

function planned(limit: Limit, record: LimitState | undefined, cost: number, nowMs: number): Planned {
  const model = modelOf(limit.algorithm);
  const isSame = record?.algorithm === limit.algorithm && record.identity === limit.identity;
  const standing = model.stand(limit, isSame ? record : undefined, nowMs);
  const fits = limit.limit > 0 && cost <= capacityOf(limit);
  return { limit, model, standing, admits: fits && model.admits(limit, standing.state, cost) };
}

interface Settled extends Planned {
  /** After the commit, if there was one. */
  readonly state: LimitState;
}

function outcomeOf(
  { limit, model, standing, admits, state }: Settled,
  cost: number,
  nowMs: number,
): LimitOutcome {
  if (limit.limit === 0) {
    return { admits, remaining: 0, resetMs: NEVER, retryAtMs: NEVER, growsAtMs: NEVER, delayMs: 0 };
  }
  const remaining = model.remaining(limit, state);
  const fits = cost <= capacityOf(limit);
  const retryAtMs = fits ? () => model.retryAtMs(limit, standing.state, cost, nowMs) : () => NEVER;
  return {
    admits,
    remaining,
    resetMs: model.wholeAtMs(limit, state, nowMs),
    retryAtMs: admits ? NOW : retryAtMs(),
    // One more passes at the moment at which a check of `remaining + 1` would.
    growsAtMs: remaining >= capacityOf(limit) ? NOW : model.retryAtMs(limit, state, remaining + 1, nowMs),
    delayMs: (admits && model.delayMs?.(limit, standing.state)) || 0,
  };
}

/** A limit of 0 never becomes whole; what it holds is kept for a window, in case it is raised again. */
function expiryOf({ limit, model, state }: Settled, nowMs: number): number {
  if (limit.limit === 0 && limit.algorithm !== 'quota') return nowMs + limit.windowMs;
  const wholeAtMs = model.wholeAtMs(limit, state, nowMs);
  return wholeAtMs === NEVER ? Number.POSITIVE_INFINITY : wholeAtMs;
}
