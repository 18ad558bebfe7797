import type { Counters } from '../../limiter/counters.ts';
import type { SpanMaker } from '../../telemetry/tracing/tracing.ts';

/** Counters whose calls are spans of the requests that made them, where those are recorded. */
export function tracedCounters(counters: Counters, spans: SpanMaker): Counters {
  const within = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    spans.within(`counters ${name}`, {}, work);
  return {
    check: (check) => within('check', () => counters.check(check)),
    checkAtomically: (checks) => within('check_atomically', () => counters.checkAtomically(checks)),
    reset: (key) => within('reset', () => counters.reset(key)),
    settle: (settling) => within('settle', () => counters.settle(settling)),
    renewLease: (key, holder) => within('renew_lease', () => counters.renewLease(key, holder)),
    releaseLease: (key, holder) => within('release_lease', () => counters.releaseLease(key, holder)),
    listLeases: (key) => within('list_leases', () => counters.listLeases(key)),
    announce: (key, revision) => within('announce', () => counters.announce(key, revision)),
    nowMs: () => counters.nowMs(),
    ping: () => counters.ping(),
    close: () => counters.close(),
  };
}
