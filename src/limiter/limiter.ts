import { BrumeError, type ErrorCode } from '../errors/catalogue.ts';
import { ttlOf } from './algorithms/concurrency.ts';
import { type Asked, createAsk, faultOf, keyOf } from './asking.ts';
import type { Check, CheckedNamespace } from './check.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  type Counters,
  CountersError,
  type Settlement,
} from './counters.ts';
import { type Exceptions, NO_EXCEPTIONS } from './exceptions.ts';
import type { IdentifierKey } from './identifier-key.ts';
import { type LimiterWatch, UNWATCHED } from './limiter-watch.ts';
import { type IdKind, newToken, openedId, sealedId, type TokenRef } from './sealed-id.ts';
import type { Verdict } from './verdict.ts';
import { allOrNone, verdictOf } from './verdict-of.ts';

/** A lease or a reservation, as the one who holds it knows it. */
export interface Granted {
  /** Opaque; good for the project that it was given to only. */
  readonly id: string;
  /** Epoch milliseconds of the store's time. */
  readonly expiresAtMs: number;
}

/** The verdict, and what was asked for where it allows; null where it denies, or the store gave no answer. */
interface Grant {
  readonly verdict: Verdict;
  readonly granted: Granted | null;
}

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
   * its time runs out. Rejects with BrumeError bad_request for a namespace without such a limit.
   */
  acquire(check: Check): Promise<Grant>;
  /** Holds a place for another time to live. Rejects with BrumeError unknown_lease, counters_unavailable. */
  renew(projectId: string, leaseId: string): Promise<Granted>;
  /** Gives a place back; twice is no error. Rejects as renew() does, but not for a lease that has run out. */
  release(projectId: string, leaseId: string): Promise<void>;
  /** The leases that an identifier holds. Rejects with BrumeError counters_unavailable. */
  leases(namespace: CheckedNamespace, identifier: string): Promise<readonly Granted[]>;
  /** Checks and counts an estimated cost, until it is settled or its time runs out, in milliseconds. */
  reserve(check: Check, ttlMs: number): Promise<Grant>;
  /**
   * Ends a reservation with its real cost, 0 to drop it; again repeats the first answer.
   * Rejects with BrumeError unknown_reservation, counters_unavailable.
   */
  settle(
    projectId: string,
    reservationId: string,
    cost: number,
    findNamespace: FindNamespace,
  ): Promise<Settlement>;
  /**
   * A block, exemption or override of exactly this identifier has changed with that revision: from now on
   * no node decides by an older one. Where the counters don't answer nothing is said, and the others
   * learn of it within the propagation bound.
   */
  announce(namespace: CheckedNamespace, identifier: string, revision: number): Promise<void>;
  /** Forgets what an identifier used, but not its leases. Rejects with BrumeError counters_unavailable. */
  reset(namespace: CheckedNamespace, identifier: string): Promise<void>;
}

type FindNamespace = (projectId: string, name: string) => CheckedNamespace | undefined;

export interface LimiterParts {
  readonly counters: Counters;
  readonly identifierKey: IdentifierKey;
  /** Called once for each verdict that the policy gave, with what the store failed with. */
  readonly onDegraded: (check: Check, error: CountersError) => void;
  /** None if absent. */
  readonly exceptions?: Exceptions;
  /** Nobody if absent. */
  readonly watch?: LimiterWatch;
}

export function createLimiter(parts: LimiterParts): Limiter {
  const { counters, identifierKey, onDegraded, watch = UNWATCHED, exceptions = NO_EXCEPTIONS } = parts;
  const ask = createAsk({ counters, identifierKey, exceptions });

  async function askedOf(
    checks: readonly Check[],
    call: (checks: readonly CounterCheck[]) => Promise<readonly CounterOutcome[]>,
  ): Promise<readonly Asked[]> {
    const startedMs = watch.monotonicMs();
    try {
      return await ask(checks, call);
    } finally {
      watch.onStoreAnswer(watch.monotonicMs() - startedMs);
    }
  }

  function told({ check, outcome }: Asked, verdict: Verdict): Verdict {
    const fault = faultOf(outcome);
    if (fault !== undefined) onDegraded(check, fault);
    watch.onVerdict(check, verdict, !(outcome instanceof CountersError) && outcome.isRepeated);
    return verdict;
  }

  async function judge(check: Check): Promise<{ verdict: Verdict; outcome: Asked['outcome'] }> {
    const asked = await askedOf([check], async ([one]) => [await counters.check(one as CounterCheck)]);
    const [first] = asked as readonly [Asked];
    return { verdict: told(first, verdictOf(first, counters.nowMs())), outcome: first.outcome };
  }

  async function grant(kind: IdKind, check: Check): Promise<Grant> {
    const { verdict, outcome } = await judge(check);
    if (outcome instanceof CountersError || outcome.token === undefined) return { verdict, granted: null };
    const { token } = outcome;
    const { namespace, identifier } = check;
    return { verdict, granted: granted(kind, namespace, identifier, token, outcome.nowMs + ttlOf(token)) };
  }

  function granted(
    kind: IdKind,
    namespace: CheckedNamespace,
    identifier: string,
    token: string,
    expiresAtMs: number,
  ): Granted {
    const { projectId, name } = namespace;
    const ref = { projectId, namespace: name, key: keyOf(identifierKey, namespace, identifier), token };
    return { id: sealedId(identifierKey, kind, ref), expiresAtMs };
  }

  function opened(kind: IdKind, projectId: string, id: string, unknown: ErrorCode): TokenRef {
    const ref = openedId(identifierKey, kind, projectId, id);
    if (ref === undefined) throw new BrumeError(unknown);
    return ref;
  }

  return {
    judge: async (check) => (await judge(check)).verdict,

    async judgeAtomically(checks) {
      const asked = await askedOf(checks, (own) => counters.checkAtomically(own));
      const verdicts = allOrNone(asked.map((one) => verdictOf(one, counters.nowMs())));
      return asked.map((one, index) => told(one, verdicts[index] as Verdict));
    },

    async acquire(check) {
      const place = check.namespace.rule.limits.find(({ algorithm }) => algorithm === 'concurrency');
      if (place?.algorithm !== 'concurrency') throw noPlaces();
      return grant('lease', { ...check, holder: newToken(place.ttlMs) });
    },

    async renew(projectId, id) {
      const { key, token } = opened('lease', projectId, id, 'unknown_lease');
      const renewed = await orUnavailable(counters.renewLease(key, token));
      if (renewed === undefined) throw new BrumeError('unknown_lease');
      return { id, expiresAtMs: renewed.expiresMs };
    },

    async release(projectId, id) {
      const { key, token } = opened('lease', projectId, id, 'unknown_lease');
      await orUnavailable(counters.releaseLease(key, token));
    },

    async leases(namespace, identifier) {
      const held = await orUnavailable(counters.listLeases(keyOf(identifierKey, namespace, identifier)));
      return held.map(({ holder, expiresMs }) => granted('lease', namespace, identifier, holder, expiresMs));
    },

    reserve: (check, ttlMs) => grant('reservation', { ...check, reservation: newToken(ttlMs) }),

    async settle(projectId, id, cost, findNamespace) {
      const ref = opened('reservation', projectId, id, 'unknown_reservation');
      const namespace = findNamespace(projectId, ref.namespace);
      if (namespace === undefined) throw new BrumeError('unknown_reservation');
      const { key, token } = ref;
      const settlement = await orUnavailable(counters.settle({ key, set: namespace.rule, token, cost }));
      if (settlement === undefined) throw new BrumeError('unknown_reservation');
      return settlement;
    },

    async announce(namespace, identifier, revision) {
      try {
        await counters.announce(keyOf(identifierKey, namespace, identifier), revision);
      } catch (error) {
        if (!(error instanceof CountersError)) throw error;
      }
    },

    async reset(namespace, identifier) {
      await orUnavailable(counters.reset(keyOf(identifierKey, namespace, identifier)));
    },
  };
}

/** For what no policy can answer. */
async function orUnavailable<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CountersError)) throw error;
    throw new BrumeError('counters_unavailable', { cause: error });
  }
}

function noPlaces(): BrumeError {
  const detail = 'namespace must have a limit of concurrency for leases; this one has none.';
  return new BrumeError('bad_request', { field: 'namespace', detail });
}
