import type { Actor, Versioned } from '../../tenancy/actor.ts';
import type { Written } from '../policy-store.ts';
import type { ExceptionKind, NewException, RuleException } from './rule-exception.ts';

/** How many can be written in one change by one call. */
export const EXCEPTIONS_PER_CALL_MAX = 1000;

export interface ExceptionQuery {
  readonly kind?: ExceptionKind;
  /** This one only. */
  readonly id?: string;
  /** This match only. */
  readonly match?: string;
  /** Also those that have expired and are not cleared away yet. */
  readonly withExpired?: boolean;
  /** Continues a list behind the `next` of its last page. */
  readonly after?: string;
  /** 1 to 1,000. */
  readonly pageSize: number;
}

export interface ExceptionPage {
  /** By match, then kind. */
  readonly items: readonly RuleException[];
  /** Null on the last page. */
  readonly next: string | null;
}

/**
 * The port through which blocks, exemptions and overrides are managed. Every method is durable when it
 * resolves and has changed nothing when it rejects. Rejects with BrumeError: unknown_namespace,
 * unknown_exception, conflict, precondition_failed, store_unavailable.
 */
export interface ExceptionStore {
  listExceptions(namespaceId: string, query: ExceptionQuery): Promise<ExceptionPage>;
  /**
   * Rejects with `conflict` if the same kind is there for the same match and has not expired, unless
   * `replace` says to put this one in its place, which keeps id and createdAt. A version is expected of
   * the one that is there: none there is another version.
   */
  addException(
    namespaceId: string,
    exception: NewException,
    options: Versioned & { readonly replace: boolean },
  ): Promise<Written<RuleException>>;
  /**
   * All of them in one change, or none; 1 to EXCEPTIONS_PER_CALL_MAX, no match twice of one kind.
   * Rejects as addException does; the field of `conflict` is the first that is there already:
   * `entries[7].match`. Resolves with how many were new, and how many came in the place of another.
   */
  addExceptions(
    namespaceId: string,
    exceptions: readonly NewException[],
    options: { readonly actor: Actor; readonly replace: boolean },
  ): Promise<Written<{ readonly added: number; readonly replaced: number }>>;
  /**
   * Those with one of these matches (at most 300), and every `pattern`: all that can hold for one
   * identifier, of every kind, also those that have expired and are not cleared away yet. In no order.
   */
  findCandidates(namespaceId: string, matches: readonly string[]): Promise<readonly RuleException[]>;
  /** Rejects with `unknown_exception`. */
  removeException(
    namespaceId: string,
    exception: Pick<RuleException, 'kind' | 'match'>,
    options: Versioned,
  ): Promise<Written<RuleException>>;
}
