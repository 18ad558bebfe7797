import { BrumeError } from '../errors/catalogue.ts';
import { ttlOf } from './algorithms/concurrency.ts';
import type { Check, CheckedNamespace } from './check.ts';
import { type CounterCheck, type CounterOutcome, type Counters, CountersError } from './counters.ts';
import type { IdentifierKey } from './identifier-key.ts';
import { type Lease, type LeaseRef, leaseId, newHolder, parseLeaseId } from './lease.ts';
import { degradedVerdict, type Verdict, verdictOf } from './verdict.ts';

/** Answers checks. The planes know this and nothing of the counters behind it. */
export interface Limiter {
  /**
   * Always answers: when the store does not, the namespace's policy does. Only a request id that was
   * used with another cost is refused, with BrumeError request_id_reused.
   */
  judge(check: Check): Promise<Verdict>;
  /** All of the checks pass, or none of them consumes; at most 100. */
  judgeAtomically(checks: readonly Check[]): Promise<readonly Verdict[]>;
  /**
   * Checks, consumes, and takes a place of the namespace's concurrency limit, until it is released or
   * its time runs out; the lease is null where the check was denied, or the store gave no answer.
   * Rejects with BrumeError bad_request for a namespace without such a limit.
   */
  acquire(check: Check): Promise<{ readonly verdict: Verdict; readonly lease: Lease | null }>;
  /** Holds a place for another time to live. Rejects with BrumeError unknown_lease, counters_unavailable. */
  renew(projectId: string, leaseId: string): Promise<Lease>;
  /** Gives a place back; twice is no error. Rejects as renew() does, but not for a lease that has run out. */
  release(projectId: string, leaseId: string): Promise<void>;
  /** The leases that an identifier holds. Rejects with BrumeError counters_unavailable. */
  leases(namespace: CheckedNamespace, identifier: string): Promise<readonly Lease[]>;
  /** Forgets what an identifier used, but not its leases. Rejects with BrumeError counters_unavailable. */
  reset(namespace: CheckedNamespace, identifier: string): Promise<void>;
}

export interface LimiterParts {
  readonly counters: Counters;
  readonly identifierKey: IdentifierKey;
  /** Called once for each verdict that the policy gave, with what the store failed with. */
  readonly onDegraded: (check: Check, error: CountersError) => void;
}

export function createLimiter({ counters, identifierKey, onDegraded }: LimiterParts): Limiter {
  const keyOf = ({ projectId, id }: CheckedNamespace, identifier: string) =>
    identifierKey(projectId, id, identifier);

  function counterCheck({ namespace, identifier, cost, peek, requestId, holder }: Check): CounterCheck {
    const key = keyOf(namespace, identifier);
    return {
      key,
      set: namespace.rule,
      cost,
      peek,
      ...(holder !== undefined && { holder }),
      ...(requestId !== undefined && { requestKey: identifierKey('request id', key, requestId) }),
    };
  }

  function degraded(check: Check, error: unknown): Verdict {
    if (!(error instanceof CountersError)) throw error;
    onDegraded(check, error);
    return degradedVerdict(check);
  }

  async function judge(check: Check): Promise<{ verdict: Verdict; outcome: CounterOutcome | undefined }> {
    let outcome: CounterOutcome;
    try {
      outcome = await counters.check(counterCheck(check));
    } catch (error) {
      return { verdict: degraded(check, error), outcome: undefined };
    }
    return { verdict: verdictOf(check, outcome), outcome };
  }

  /** What no policy can answer for. */
  async function orUnavailable<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof CountersError)) throw error;
      throw new BrumeError('counters_unavailable', { cause: error });
    }
  }

  function leaseRef(projectId: string, id: string): LeaseRef {
    const ref = parseLeaseId(identifierKey, projectId, id);
    if (ref === undefined) throw new BrumeError('unknown_lease');
    return ref;
  }

  return {
    judge: async (check) => (await judge(check)).verdict,

    async acquire(check) {
      const { namespace, identifier } = check;
      const place = namespace.rule.limits.find(({ algorithm }) => algorithm === 'concurrency');
      if (place?.algorithm !== 'concurrency') throw noPlaces();
      const { verdict, outcome } = await judge({ ...check, holder: newHolder(place.ttlMs) });
      const holder = outcome?.holder;
      if (outcome === undefined || holder === undefined) return { verdict, lease: null };
      const id = leaseId(identifierKey, namespace.projectId, { key: keyOf(namespace, identifier), holder });
      return { verdict, lease: { id, expiresAtMs: outcome.nowMs + ttlOf(holder) } };
    },

    async renew(projectId, id) {
      const { key, holder } = leaseRef(projectId, id);
      const renewed = await orUnavailable(counters.renewLease(key, holder));
      if (renewed === undefined) throw new BrumeError('unknown_lease');
      return { id, expiresAtMs: renewed.expiresMs };
    },

    async release(projectId, id) {
      const { key, holder } = leaseRef(projectId, id);
      await orUnavailable(counters.releaseLease(key, holder));
    },

    async leases(namespace, identifier) {
      const key = keyOf(namespace, identifier);
      const held = await orUnavailable(counters.listLeases(key));
      return held.map(({ holder, expiresMs }) => ({
        id: leaseId(identifierKey, namespace.projectId, { key, holder }),
        expiresAtMs: expiresMs,
      }));
    },

    async judgeAtomically(checks) {
      let outcomes: readonly CounterOutcome[];
      try {
        outcomes = await counters.checkAtomically(checks.map(counterCheck));
      } catch (error) {
        return checks.map((check) => degraded(check, error));
      }
      return checks.map((check, index) => verdictOf(check, outcomes[index] as CounterOutcome));
    },

    async reset(namespace, identifier) {
      await orUnavailable(counters.reset(keyOf(namespace, identifier)));
    },
  };
}

function noPlaces(): BrumeError {
  const detail = 'namespace must have a limit of concurrency for leases; this one has none.';
  return new BrumeError('bad_request', { field: 'namespace', detail });
}
