import { BrumeError } from '../errors/catalogue.ts';
import type { Check, CheckedNamespace } from './check.ts';
import { type CounterCheck, type CounterOutcome, type Counters, CountersError } from './counters.ts';
import type { IdentifierKey } from './identifier-key.ts';
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
  /** Forgets what an identifier used. Rejects with BrumeError counters_unavailable. */
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

  function counterCheck({ namespace, identifier, cost, peek, requestId }: Check): CounterCheck {
    const key = keyOf(namespace, identifier);
    const check = { key, set: namespace.rule, cost, peek };
    return requestId === undefined
      ? check
      : { ...check, requestKey: identifierKey('request id', key, requestId) };
  }

  function degraded(check: Check, error: unknown): Verdict {
    if (!(error instanceof CountersError)) throw error;
    onDegraded(check, error);
    return degradedVerdict(check);
  }

  return {
    async judge(check) {
      let outcome: CounterOutcome;
      try {
        outcome = await counters.check(counterCheck(check));
      } catch (error) {
        return degraded(check, error);
      }
      return verdictOf(check, outcome);
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
      try {
        await counters.reset(keyOf(namespace, identifier));
      } catch (error) {
        if (!(error instanceof CountersError)) throw error;
        throw new BrumeError('counters_unavailable', { cause: error });
      }
    },
  };
}
