import type { ModeJson } from '../rule-schema.ts';

/** In the order of their precedence, where several match alike. */
export const EXCEPTION_KINDS = ['block', 'exemption', 'override'] as const;
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number];

/**
 * `exact`: one identifier; in a namespace of kind `ip` one full address. `pattern`: text with `*`.
 * `cidr`: a block of addresses, in a namespace of kind `ip`.
 */
export type MatchForm = 'exact' | 'pattern' | 'cidr';

/** What an override says of one limit or quota of the rule; what it doesn't say stays as in the rule. */
export interface LimitOverride {
  /** Of a limit or quota of the rule. */
  readonly name: string;
  readonly limit?: number;
  readonly burst?: number;
  readonly mode?: ModeJson;
}

/** What is said of those who match, instead of their namespace's rule. */
export interface RuleException {
  /** `ex_…` */
  readonly id: string;
  readonly namespaceId: string;
  /** That of its last change, for If-Match. */
  readonly version: number;
  readonly kind: ExceptionKind;
  readonly form: MatchForm;
  /** Canonical: what two spellings of the same thing have in common. */
  readonly match: string;
  /** Of an override; null for the other kinds. */
  readonly limits: readonly LimitOverride[] | null;
  /** Empty if none was given. */
  readonly reason: string;
  /** `local:NAME`, or who else was authenticated. */
  readonly author: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Null: until it is removed. */
  readonly expiresAtMs: number | null;
}

/** What is asked for, checked and canonical (exception-input.ts). */
export type NewException = Pick<
  RuleException,
  'kind' | 'form' | 'match' | 'limits' | 'reason' | 'expiresAtMs'
>;
