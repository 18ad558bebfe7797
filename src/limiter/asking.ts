import type { Check, CheckedNamespace } from './check.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  type Counters,
  CountersError,
  type LimitSet,
  OutdatedConfiguration,
} from './counters.ts';
import type { Exception, Exceptions } from './exceptions.ts';
import type { IdentifierKey } from './identifier-key.ts';

/** What the store failed with, if it did; the check may have been judged by this node all the same. */
export function faultOf(outcome: CounterOutcome | CountersError): CountersError | undefined {
  return outcome instanceof CountersError ? outcome : outcome.fault;
}

/** A check, what it was decided by, and what the counters said. */
export interface Asked {
  readonly check: Check;
  /** What holds for the identifier instead of the rule, if anything does. */
  readonly exception: Exception | undefined;
  /** The limits by which it was counted: those of the rule, or of an override. */
  readonly set: LimitSet;
  /** The counters gave none if they failed. */
  readonly outcome: CounterOutcome | CountersError;
}

export interface AskingParts {
  readonly counters: Counters;
  readonly identifierKey: IdentifierKey;
  readonly exceptions: Exceptions;
}

type Call = (checks: readonly CounterCheck[]) => Promise<readonly CounterOutcome[]>;
export type Ask = (checks: readonly Check[], call: Call) => Promise<readonly Asked[]>;

type Resolved = Pick<Asked, 'check' | 'exception' | 'set'>;

/**
 * The second time by what has been read anew, and the third time by what this node knows, however old
 * that is: its configuration store doesn't answer, and the counters do.
 */
const ATTEMPTS_MAX = 3;
const NO_LIMITS: LimitSet = { limits: [] };

/**
 * Asks the counters, by the blocks, exemptions and overrides that this node knows; again where the
 * counters have heard of a later change. Rejects only as the counters do with a BrumeError.
 */
export function createAsk({ counters, identifierKey, exceptions }: AskingParts): Ask {
  return async function ask(checks, call) {
    let nowMs = counters.nowMs();
    for (let attempt = 1; ; attempt++) {
      const revision = attempt < ATTEMPTS_MAX ? exceptions.revision() : undefined;
      const resolved = checks.map((check) => resolve(check, nowMs));
      try {
        const outcomes = await call(resolved.map((one) => counterCheck(one, revision)));
        const asked = resolved.map((one, index) => ({ ...one, outcome: outcomes[index] as CounterOutcome }));
        if (attempt === ATTEMPTS_MAX || !asked.some(isBlockedTooLong)) return asked;
        nowMs = Math.max(...outcomes.map((outcome) => outcome.nowMs));
      } catch (error) {
        if (error instanceof CountersError) return resolved.map((one) => ({ ...one, outcome: error }));
        if (!(error instanceof OutdatedConfiguration)) throw error;
        await exceptions.refresh();
      }
    }
  };

  function resolve(check: Check, nowMs: number): Resolved {
    const { namespace, identifier, subject = identifier } = check;
    const exception = exceptions.find(namespace, subject, nowMs);
    if (exception === undefined) return { check, exception, set: namespace.rule };
    return { check, exception, set: exception.effect === 'replace' ? exception.set : NO_LIMITS };
  }

  function counterCheck({ check, exception, set }: Resolved, revision: number | undefined): CounterCheck {
    const { cost, peek, requestId, holder, reservation } = check;
    const key = keyOf(identifierKey, check.namespace, check.identifier);
    const isLocal = check.namespace.rule.onStoreFailure === 'local';
    const asked = {
      key,
      set,
      cost,
      peek,
      ...(revision !== undefined && { revision }),
      ...(isLocal && { fallback: 'local' as const }),
    };
    if (exception !== undefined && exception.effect !== 'replace') {
      return { ...asked, ruling: exception.effect === 'block' ? 'blocked' : 'exempt' };
    }
    return {
      ...asked,
      ...(holder !== undefined && { holder }),
      ...(reservation !== undefined && { reservation }),
      ...(requestId !== undefined && { requestKey: identifierKey('request id', key, requestId) }),
    };
  }
}

/** Under which the counters know an identifier of a namespace. */
export function keyOf(
  identifierKey: IdentifierKey,
  { projectId, id }: CheckedNamespace,
  identifier: string,
): string {
  return identifierKey(projectId, id, identifier);
}

/** By this node's estimate of the store's time a block still held, but it had ended by the time itself. */
function isBlockedTooLong({ exception, outcome }: Asked): boolean {
  return (
    exception?.effect === 'block' && !(outcome instanceof CountersError) && outcome.nowMs >= exception.untilMs
  );
}
