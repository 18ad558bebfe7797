import type { Check } from './check.ts';
import { type CounterOutcome, type Counters, CountersError } from './counters.ts';
import type { IdentifierKey } from './identifier-key.ts';
import type { Verdict } from './verdict.ts';
import { degradedVerdict, verdictOf } from './verdict.ts';

/** Answers checks. The planes know this and nothing of the counters behind it. */
export interface Limiter {
  /** Always answers: when the store does not, the namespace's policy does. */
  judge(check: Check): Promise<Verdict>;
}

export interface LimiterParts {
  readonly counters: Counters;
  readonly identifierKey: IdentifierKey;
  /** Called once for each verdict that the policy gave, with what the store failed with. */
  readonly onDegraded: (check: Check, error: CountersError) => void;
}

export function createLimiter({ counters, identifierKey, onDegraded }: LimiterParts): Limiter {
  return {
    async judge(check) {
      const { namespace, identifier, cost, peek } = check;
      const key = identifierKey(namespace.projectId, namespace.id, identifier);
      let outcome: CounterOutcome;
      try {
        outcome = await counters.check({ key, set: namespace.rule, cost, peek });
      } catch (error) {
        if (!(error instanceof CountersError)) throw error;
        onDegraded(check, error);
        return degradedVerdict(check);
      }
      return verdictOf(check, outcome);
    },
  };
}
