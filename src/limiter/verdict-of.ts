import { NEVER } from './algorithms/algorithm.ts';
import type { Asked } from './asking.ts';
import { ENDLESS_MS, type Period } from './calendar.ts';
import type { Check } from './check.ts';
import { type CounterOutcome, CountersError, type LimitOutcome, type LimitSet } from './counters.ts';
import { exceptionVerdict } from './exception-verdict.ts';
import { capacityOf, type Limit } from './limit.ts';
import type { LimitVerdict, Reason, Verdict } from './verdict.ts';
import { secondsUntil, timeOrNull } from './verdict-times.ts';

/**
 * The verdict of a check: what the counters said, or what the namespace's policy says where they gave
 * no answer. `nowMs` is this node's time, for what the counters didn't date.
 */
export function verdictOf({ check, exception, set, outcome }: Asked, nowMs: number): Verdict {
  const degraded = outcome instanceof CountersError;
  if (exception !== undefined && exception.effect !== 'replace') {
    return exceptionVerdict(check, exception, degraded ? undefined : outcome, nowMs);
  }
  return degraded ? degradedVerdict(check, set) : judgedVerdict(check, set, outcome);
}

/**
 * The verdicts of an atomic batch. Where the store gave no answer, each is by the policy of its own namespace,
 * which knows nothing of the others: if one denies, it holds the rest back.
 */
export function allOrNone(verdicts: readonly Verdict[]): readonly Verdict[] {
  if (verdicts.every(({ success }) => success)) return verdicts;
  return verdicts.map((verdict) => (verdict.success ? { ...verdict, success: false, delayMs: 0 } : verdict));
}

function judgedVerdict(check: Check, set: LimitSet, outcome: CounterOutcome): Verdict {
  const { namespace, identifier, requestId } = check;
  const { nowMs, admitted } = outcome;
  const pairs = set.limits.map((limit, index) => pairOf(limit, outcome.limits[index]));
  const enforced = pairs.filter(({ limit }) => limit.mode === 'enforce');
  const shadow = pairs.filter(({ limit }) => limit.mode === 'shadow');
  return {
    success: admitted,
    namespace: namespace.name,
    identifier,
    // Held back by its batch, it shows how it stands by itself: nothing of its own denies it.
    ...tightestOf(enforced, admitted || outcome.isHeldBack, check, nowMs),
    delayMs: admitted ? Math.max(0, ...enforced.map(({ outcome: { delayMs } }) => delayMs)) : 0,
    degraded: outcome.fault !== undefined,
    limits: enforced.map((pair) => limitVerdict(pair, nowMs)),
    shadow: shadow.map((pair) => limitVerdict(pair, nowMs)),
    requestId: requestId ?? null,
  };
}

/** The top of a verdict: where nothing is enforced there is nothing to show. */
function tightestOf(enforced: readonly Pair[], admitted: boolean, check: Check, nowMs: number) {
  const [first, ...others] = enforced;
  if (first === undefined)
    return { limit: null, remaining: null, reset: null, retryAfter: null, reason: null };
  const { limit, outcome } = others.reduce(admitted ? tighterWhenAdmitted : tighterWhenDenied, first);
  return {
    limit: limit.limit,
    remaining: outcome.remaining,
    reset: timeOrNull(outcome.resetMs),
    retryAfter: admitted ? null : secondsUntil(outcome.retryAtMs, nowMs),
    reason: admitted ? null : reasonOf(limit, check),
  };
}

/**
 * The verdict of the namespace's policy, when nobody counted: what nobody knows is null. That a limit of 0
 * denies all is known without a store. Under `local` this node had no room for the identifier.
 */
function degradedVerdict({ namespace, identifier, requestId }: Check, set: LimitSet): Verdict {
  const isClosed = set.limits.some(({ limit, mode }) => limit === 0 && mode === 'enforce');
  const success = namespace.rule.onStoreFailure === 'open' && !isClosed;
  return {
    success,
    namespace: namespace.name,
    identifier,
    limit: isClosed ? 0 : null,
    remaining: isClosed ? 0 : null,
    reset: null,
    retryAfter: null,
    delayMs: 0,
    reason: success ? null : isClosed ? 'limit' : 'store_unavailable',
    degraded: true,
    limits: [],
    shadow: [],
    requestId: requestId ?? null,
  };
}

interface Pair {
  readonly limit: Limit;
  readonly outcome: LimitOutcome;
}

function pairOf(limit: Limit, outcome: LimitOutcome | undefined): Pair {
  if (outcome === undefined) throw new RangeError(`the store gave no outcome for the limit ${limit.name}`);
  return { limit, outcome };
}

/** The smallest remaining, then the latest reset. */
function tighterWhenAdmitted(a: Pair, b: Pair): Pair {
  const byRemaining = a.outcome.remaining - b.outcome.remaining;
  if (byRemaining !== 0) return byRemaining < 0 ? a : b;
  return lateness(b.outcome.resetMs) > lateness(a.outcome.resetMs) ? b : a;
}

/** The denying limit with the latest retry, "never" being the latest of all. */
function tighterWhenDenied(a: Pair, b: Pair): Pair {
  if (a.outcome.admits !== b.outcome.admits) return a.outcome.admits ? b : a;
  return lateness(b.outcome.retryAtMs) > lateness(a.outcome.retryAtMs) ? b : a;
}

/** Never is the latest of all. */
function lateness(timeMs: number): number {
  return timeMs === NEVER ? Number.POSITIVE_INFINITY : timeMs;
}

function reasonOf(limit: Limit, { cost, holder }: Check): Reason {
  if (limit.algorithm === 'concurrency')
    return holder === undefined && limit.limit > 0 ? 'lease_required' : 'limit';
  if (limit.limit > 0 && cost > capacityOf(limit)) return 'impossible';
  return limit.algorithm === 'quota' ? 'quota' : 'limit';
}

function limitVerdict({ limit, outcome }: Pair, nowMs: number): LimitVerdict {
  return {
    name: limit.name,
    algorithm: limit.algorithm,
    success: outcome.admits,
    limit: limit.limit,
    ...spanOf(limit, nowMs),
    quota: Math.max(limit.limit, capacityOf(limit)),
    remaining: outcome.remaining,
    reset: timeOrNull(outcome.resetMs),
    retryAfter: secondsUntil(outcome.retryAtMs, nowMs),
    growsAfter: secondsUntil(outcome.growsAtMs, nowMs),
  };
}

function spanOf(limit: Limit, nowMs: number): { windowMs: number | null; period: Period | null } {
  if (limit.algorithm !== 'quota')
    return { windowMs: 'windowMs' in limit ? limit.windowMs : null, period: null };
  const { startMs, endMs } = limit.calendar.edgesAt(nowMs);
  return { windowMs: endMs === ENDLESS_MS ? null : endMs - startMs, period: limit.calendar.spec.period };
}
