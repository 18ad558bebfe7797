import {
  EXCEPTION_KINDS,
  type LimitOverride,
  type MatchForm,
  type RuleException,
} from '../../policy/exceptions/rule-exception.ts';
import { choiceOf, integerOf, integerOrNullOf, textOf, textOrNullOf } from './row.ts';
import type { Row, SqlDialect } from './sql.ts';

export const MATCH_FORMS: readonly MatchForm[] = ['exact', 'pattern', 'cidr'];

/** Of `rule_exceptions e`. */
export const EXCEPTION_COLUMNS = `e.id, e.namespace_id, e.kind, e.form, e.match_text, e.limits, e.reason, e.author,
  e.revision, e.created_at, e.updated_at, e.expires_at`;

/** As it is to be written: the change gives it its version. */
export type UnnumberedException = Omit<RuleException, 'version'>;

/** Which row it is: no two of a namespace have the same match and kind. */
export type ExceptionKey = Pick<RuleException, 'namespaceId' | 'kind' | 'match'>;

/** The rows of a JSON array in ?1, so that any number of exceptions is one parameter of one statement. */
export const GIVEN_EXCEPTIONS: Readonly<Record<SqlDialect, string>> = {
  postgres: `json_to_recordset(cast(?1 as json)) as given (
    namespace_id text, kind text, match_text text, id text, form text, limits text, reason text, author text,
    created_at bigint, updated_at bigint, expires_at bigint)`,
  sqlite: `(
    select value ->> 'namespace_id' as namespace_id, value ->> 'kind' as kind,
      value ->> 'match_text' as match_text, value ->> 'id' as id, value ->> 'form' as form,
      value ->> 'limits' as limits, value ->> 'reason' as reason, value ->> 'author' as author,
      value ->> 'created_at' as created_at, value ->> 'updated_at' as updated_at,
      value ->> 'expires_at' as expires_at
    from json_each(?1)) as given`,
};

/** A key as GIVEN_EXCEPTIONS takes it. */
export function givenKey({ namespaceId, kind, match }: ExceptionKey) {
  return { namespace_id: namespaceId, kind, match_text: match };
}

/** A whole row as GIVEN_EXCEPTIONS takes it. */
export function givenException(exception: UnnumberedException) {
  return {
    ...givenKey(exception),
    id: exception.id,
    form: exception.form,
    limits: exception.limits === null ? null : JSON.stringify(exception.limits),
    reason: exception.reason,
    author: exception.author,
    created_at: exception.createdAtMs,
    updated_at: exception.updatedAtMs,
    expires_at: exception.expiresAtMs,
  };
}

export function exceptionKeyOf(row: Row): ExceptionKey {
  return {
    namespaceId: textOf(row, 'namespace_id'),
    kind: choiceOf(row, 'kind', EXCEPTION_KINDS),
    match: textOf(row, 'match_text'),
  };
}

export function exceptionOf(row: Row): RuleException {
  const limits = textOrNullOf(row, 'limits');
  return {
    ...exceptionKeyOf(row),
    id: textOf(row, 'id'),
    version: integerOf(row, 'revision'),
    form: choiceOf(row, 'form', MATCH_FORMS),
    limits: limits === null ? null : (JSON.parse(limits) as readonly LimitOverride[]),
    reason: textOf(row, 'reason'),
    author: textOf(row, 'author'),
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
    expiresAtMs: integerOrNullOf(row, 'expires_at'),
  };
}

/** It decides while now is before its last moment. */
export function isInForce({ expiresAtMs }: Pick<RuleException, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}
