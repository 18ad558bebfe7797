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
  /** From this moment on the records are worth no more than none. */
  readonly expiresAtMs: number;
}

/** A limit with its model and with where it stands now. */
interface Planned {
  readonly limit: Limit;
  readonly model: AlgorithmModel<LimitState>;
  readonly standing: Standing<LimitState>;
  readonly admits: boolean;
}

/**
 * The reference of what lua/check.lua does: looks at every limit first, then commits the cost to all
 * of them or to none. Pure, but for the records given, whose states are used up by a commit.
 */
export function decide(
  set: LimitSet,
  records: Records | undefined,
  { cost, peek }: { readonly cost: number; readonly peek: boolean },
  nowMs: number,
): Decision {
  const plan = set.limits.map((limit) => planned(limit, records?.get(limit.name), cost, nowMs));
  const admitted = plan.every(({ admits }) => admits);
  const consumes = admitted && cost > 0 && !peek;
  const states = plan.map(({ limit, model, standing }) =>
    consumes ? model.consume(limit, standing.state, cost, nowMs) : standing.state,
  );
  const limits = plan.map((entry, index) => outcomeOf(entry, states[index] as LimitState, cost, nowMs));
  const isChanged = consumes || plan.some(({ standing }) => standing.isReanchored);
  return {
    outcome: { admitted, nowMs, limits },
    records: isChanged
      ? new Map(set.limits.map(({ name }, index) => [name, states[index] as LimitState]))
      : undefined,
    expiresAtMs: Math.max(
      ...plan.map(({ limit, model }, index) => expiryOf(limit, model, states[index] as LimitState, nowMs)),
    ),
  };
}

function planned(limit: Limit, record: LimitState | undefined, cost: number, nowMs: number): Planned {
  const model = modelOf(limit.algorithm);
  const isSame = record?.algorithm === limit.algorithm && record.windowMs === limit.windowMs;
  const standing = model.stand(limit, isSame ? record : undefined, nowMs);
  const fits = limit.limit > 0 && cost <= capacityOf(limit);
  return { limit, model, standing, admits: fits && model.admits(limit, standing.state, cost) };
}

function outcomeOf(
  { limit, model, standing, admits }: Planned,
  state: LimitState,
  cost: number,
  nowMs: number,
): LimitOutcome {
  if (limit.limit === 0) {
    return { admits, remaining: 0, resetMs: NEVER, retryAtMs: NEVER, growsAtMs: NEVER, delayMs: 0 };
  }
  const remaining = model.remaining(limit, state);
  const resetMs = model.wholeAtMs(limit, state, nowMs);
  return {
    admits,
    remaining,
    resetMs,
    retryAtMs: admits
      ? NOW
      : cost > capacityOf(limit)
        ? NEVER
        : model.retryAtMs(limit, standing.state, cost, nowMs),
    // One more passes at the moment at which a check of `remaining + 1` would.
    growsAtMs: remaining >= capacityOf(limit) ? NOW : model.retryAtMs(limit, state, remaining + 1, nowMs),
    delayMs: (admits && model.delayMs?.(limit, standing.state)) || 0,
  };
}

/** A limit of 0 never becomes whole; what it holds is kept for a window, in case it is raised again. */
function expiryOf(limit: Limit, model: AlgorithmModel<LimitState>, state: LimitState, nowMs: number): number {
  return limit.limit === 0 ? nowMs + limit.windowMs : model.wholeAtMs(limit, state, nowMs);
}
