import { type AlgorithmModel, NEVER, NOW, type Standing } from './algorithms/algorithm.ts';
import type { Leases } from './algorithms/concurrency.ts';
import { type LimitState, modelOf } from './algorithms/models.ts';
import type { CounterCheck, CounterOutcome, LimitOutcome, LimitSet } from './counters.ts';
import { capacityOf, type Limit } from './limit.ts';

/** What is held of one identifier in one namespace. */
export interface Held {
  /** By limit name. */
  readonly records: ReadonlyMap<string, LimitState>;
  /** They belong to the identifier, not to a limit, and outlive changes of the rule. */
  readonly leases: Leases;
}

export interface Decision {
  readonly outcome: CounterOutcome;
  /** What the store must hold from now on; undefined: nothing changed. Limits that are gone are left out. */
  readonly held: Held | undefined;
  /** From this moment on it is worth no more than nothing; Infinity for a quota without an end. */
  readonly expiresAtMs: number;
}

/** A limit with its model and with where it stands now. */
interface Planned {
  readonly limit: Limit;
  readonly model: AlgorithmModel<LimitState, Limit>;
  readonly standing: Standing<LimitState>;
  /** What is asked of it: the cost, or one place. */
  readonly amount: number;
  /** A place can only be held by somebody; whoever merely looks is told how it stands. */
  readonly lacksHolder: boolean;
  readonly admits: boolean;
}

interface Settled extends Planned {
  /** After the commit, if there was one. */
  readonly state: LimitState;
}

type Asked = Pick<CounterCheck, 'cost' | 'peek' | 'holder'>;

const NOTHING: Held = { records: new Map(), leases: new Map() };

/**
 * The reference of what lua/check.lua does: looks at every limit first, then commits the cost to all
 * that are enforced or to none; a shadow limit counts for itself what it would admit. Pure, but for
 * what is held, whose states are used up by a commit.
 */
export function decide(set: LimitSet, held: Held = NOTHING, asked: Asked, nowMs: number): Decision {
  const plan = set.limits.map((limit) => planned(limit, held, asked, nowMs));
  const admitted = plan.every(({ limit, admits }) => admits || limit.mode === 'shadow');
  let isChanged = false;
  const settled = plan.map((entry): Settled => {
    const consumes = isCharged(entry, asked, admitted);
    isChanged ||= consumes || entry.standing.isReanchored;
    return { ...entry, state: consumes ? consumed(entry, asked, nowMs) : entry.standing.state };
  });
  return {
    outcome: {
      admitted,
      isHeldBack: false,
      isRepeated: false,
      holder: admitted && !asked.peek ? asked.holder : undefined,
      nowMs,
      limits: settled.map((entry) => outcomeOf(entry, nowMs)),
    },
    ...(isChanged ? after(settled, held, nowMs) : { held: undefined, expiresAtMs: nowMs }),
  };
}

function planned(limit: Limit, held: Held, { cost, peek, holder }: Asked, nowMs: number): Planned {
  const model = modelOf(limit.algorithm);
  const isPlace = limit.algorithm === 'concurrency';
  const amount = isPlace ? 1 : cost;
  const lacksHolder = isPlace && holder === undefined && !peek && limit.mode === 'enforce';
  const standing = model.stand(limit, storedState(limit, held), nowMs);
  const fits = limit.limit > 0 && amount <= capacityOf(limit) && !lacksHolder;
  return {
    limit,
    model,
    standing,
    amount,
    lacksHolder,
    admits: fits && model.admits(limit, standing.state, amount),
  };
}

function storedState(
  { algorithm, name, identity }: Limit,
  { records, leases }: Held,
): LimitState | undefined {
  if (algorithm === 'concurrency') return { algorithm, identity, leases };
  const record = records.get(name);
  return record?.algorithm === algorithm && record.identity === identity ? record : undefined;
}

function isCharged({ limit, amount, admits }: Planned, { peek, holder }: Asked, admitted: boolean): boolean {
  if (peek || amount === 0 || (limit.algorithm === 'concurrency' && holder === undefined)) return false;
  return limit.mode === 'shadow' ? admits : admitted;
}

function consumed({ limit, model, standing, amount }: Planned, { holder }: Asked, nowMs: number): LimitState {
  return model.consume(limit, standing.state, amount, nowMs, holder);
}

function after(
  settled: readonly Settled[],
  held: Held,
  nowMs: number,
): Pick<Decision, 'held' | 'expiresAtMs'> {
  const records = new Map<string, LimitState>();
  let { leases } = held;
  for (const { limit, state } of settled) {
    if (state.algorithm === 'concurrency') leases = state.leases;
    else records.set(limit.name, state);
  }
  const expiries = settled.map((entry) => expiryOf(entry, nowMs));
  return { held: { records, leases }, expiresAtMs: Math.max(nowMs, ...expiries, ...leases.values()) };
}

function outcomeOf(entry: Settled, nowMs: number): LimitOutcome {
  const { limit, model, standing, amount, lacksHolder, admits, state } = entry;
  if (limit.limit === 0) {
    return { admits, remaining: 0, resetMs: NEVER, retryAtMs: NEVER, growsAtMs: NEVER, delayMs: 0 };
  }
  const remaining = model.remaining(limit, state);
  const isHopeless = lacksHolder || amount > capacityOf(limit);
  const retryAtMs = () => (isHopeless ? NEVER : model.retryAtMs(limit, standing.state, amount, nowMs));
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
  if (limit.limit === 0 && 'windowMs' in limit) return nowMs + limit.windowMs;
  const wholeAtMs = model.wholeAtMs(limit, state, nowMs);
  return wholeAtMs === NEVER ? Number.POSITIVE_INFINITY : wholeAtMs;
}
