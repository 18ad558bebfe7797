import type { CounterCheck, CounterOutcome, LimitOutcome } from '../../limiter/counters.ts';
import type { QuotaLimit } from '../../limiter/limit.ts';
import type { QuotaCheckpoint } from './quota-checkpoint.ts';

/** What an outcome tells of the quotas that it was counted in. */
export function countedQuotas(check: CounterCheck, outcome: CounterOutcome): QuotaCheckpoint[] {
  if (check.peek || check.cost === 0 || outcome.isRepeated || outcome.isHeldBack) return [];
  return quotasOf(
    check,
    outcome,
    ({ mode }, { admits }) => admits && (outcome.admitted || mode === 'shadow'),
  );
}

/** What an outcome tells of all quotas. */
export function seenQuotas(check: CounterCheck, outcome: CounterOutcome): QuotaCheckpoint[] {
  return quotasOf(check, outcome, ({ limit }) => limit > 0);
}

export function hasQuota({ set }: Pick<CounterCheck, 'set'>): boolean {
  return set.limits.some(({ algorithm }) => algorithm === 'quota');
}

function quotasOf(
  { key, set }: CounterCheck,
  { nowMs, limits }: CounterOutcome,
  isTold: (limit: QuotaLimit, outcome: LimitOutcome) => boolean,
): QuotaCheckpoint[] {
  return set.limits.flatMap((limit, index) => {
    const outcome = limits[index];
    if (limit.algorithm !== 'quota' || outcome === undefined || !isTold(limit, outcome)) return [];
    // With nothing remaining, more than the limit may be used, if it was lowered: the limit at least.
    const used = limit.limit - outcome.remaining;
    if (used === 0) return [];
    const { startMs, endMs } = limit.calendar.edgesAt(nowMs);
    return [{ key, name: limit.name, identity: limit.identity, startMs, endMs, used, observedMs: nowMs }];
  });
}
