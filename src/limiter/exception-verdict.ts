import type { Check } from './check.ts';
import type { CounterOutcome } from './counters.ts';
import type { Exception } from './exceptions.ts';
import type { Verdict } from './verdict.ts';
import { secondsUntil } from './verdict-times.ts';

/**
 * The verdict of a block or an exemption: no limit was looked at, and nothing consumed. It holds without
 * the counters too, whose outcome is undefined where they gave none.
 */
export function exceptionVerdict(
  { namespace, identifier, requestId }: Check,
  { effect, untilMs }: Exclude<Exception, { effect: 'replace' }>,
  outcome: CounterOutcome | undefined,
  nodeNowMs: number,
): Verdict {
  const isBlocked = effect === 'block';
  const hasEnd = isBlocked && Number.isFinite(untilMs);
  return {
    // Exempt, but in an atomic batch of which another check is denied.
    success: !isBlocked && outcome?.admitted !== false,
    namespace: namespace.name,
    identifier,
    limit: null,
    remaining: isBlocked ? 0 : null,
    reset: hasEnd ? untilMs : null,
    retryAfter: hasEnd ? secondsUntil(untilMs, outcome?.nowMs ?? nodeNowMs) : null,
    delayMs: 0,
    reason: isBlocked ? 'blocked' : 'exempt',
    degraded: outcome === undefined || outcome.fault !== undefined,
    limits: [],
    shadow: [],
    requestId: requestId ?? null,
  };
}
