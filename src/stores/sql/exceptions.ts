import type { ExceptionQuery } from '../../policy/exceptions/exception-store.ts';
import {
  EXCEPTION_KINDS,
  type ExceptionKind,
  type RuleException,
} from '../../policy/exceptions/rule-exception.ts';
import type { StoredException } from '../cache/snapshot-source.ts';
import type { Change } from './change.ts';
import {
  EXCEPTION_COLUMNS,
  type ExceptionKey,
  exceptionKeyOf,
  exceptionOf,
  GIVEN_EXCEPTIONS,
  givenException,
  givenKey,
  MATCH_FORMS,
  type UnnumberedException,
} from './exception-rows.ts';
import { choiceOf, integerOf, integerOrNullOf, textOf, textOrNullOf } from './row.ts';
import { deleteRows, isAmong, ROW_ADDRESS } from './row-sets.ts';
import type { Sql, SqlDialect, SqlExecutor, SqlTransaction, SqlValue } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

/** How many rows one statement reads or writes: so that none of them takes long. */
export const ROWS_PER_STATEMENT = 1000;

/** By match and kind; those that have expired only if asked for. */
export async function selectExceptions(
  sql: Reader,
  namespaceId: string,
  {
    kind,
    id,
    match,
    withExpired = false,
    after,
    limit,
    nowMs,
  }: Omit<ExceptionQuery, 'after' | 'pageSize'> & {
    readonly after?: Pick<RuleException, 'match' | 'kind'>;
    readonly limit: number;
    readonly nowMs: number;
  },
): Promise<RuleException[]> {
  const parameters: SqlValue[] = [namespaceId];
  const place = (value: SqlValue) => `?${parameters.push(value)}`;
  const conditions = ['e.namespace_id = ?1'];
  if (id !== undefined) conditions.push(`e.id = ${place(id)}`);
  if (kind !== undefined) conditions.push(`e.kind = ${place(kind)}`);
  if (match !== undefined) conditions.push(`e.match_text = ${place(match)}`);
  if (!withExpired) conditions.push(`(e.expires_at is null or e.expires_at > ${place(nowMs)})`);
  if (after !== undefined)
    conditions.push(`(e.match_text, e.kind) > (${place(after.match)}, ${place(after.kind)})`);
  const rows = await sql.all(
    `select ${EXCEPTION_COLUMNS} from rule_exceptions e
     where ${conditions.join(' and ')}
     order by e.match_text, e.kind
     limit ${place(limit)}`,
    parameters,
  );
  return rows.map(exceptionOf);
}

/** Those with one of these matches, and every pattern. */
export async function selectCandidates(
  sql: Pick<Sql, 'all' | 'dialect'>,
  namespaceId: string,
  matches: readonly string[],
): Promise<RuleException[]> {
  const values =
    sql.dialect === 'postgres' ? 'json_array_elements_text(cast(?2 as json)) as m (value)' : 'json_each(?2)';
  const rows = await sql.all(
    `select ${EXCEPTION_COLUMNS} from rule_exceptions e
     where e.namespace_id = ?1 and e.match_text in (select value from ${values})
     union
     select ${EXCEPTION_COLUMNS} from rule_exceptions e
     where e.namespace_id = ?1 and e.form = 'pattern'`,
    [namespaceId, JSON.stringify(matches)],
  );
  return rows.map(exceptionOf);
}

/** Those of these keys that are there, also the expired ones. At most ROWS_PER_STATEMENT. */
export async function selectExceptionsByKey(
  transaction: SqlTransaction,
  keys: readonly ExceptionKey[],
): Promise<RuleException[]> {
  const rows = await transaction.all(
    `select ${EXCEPTION_COLUMNS} from rule_exceptions e where ${isOneOfGiven(transaction.dialect)}`,
    [JSON.stringify(keys.map(givenKey))],
  );
  return rows.map(exceptionOf);
}

/** One kind of a namespace, by match, behind the one given; along the index, as itemPages. */
export async function selectSection(
  sql: Reader,
  { namespaceId, kind }: Pick<RuleException, 'namespaceId' | 'kind'>,
  afterMatch: string,
): Promise<RuleException[]> {
  const rows = await sql.all(
    `select ${EXCEPTION_COLUMNS} from rule_exceptions e
     where (e.namespace_id, e.kind, e.match_text) > (?1, ?2, ?3) and (e.namespace_id, e.kind) <= (?1, ?2)
     order by e.namespace_id, e.kind, e.match_text
     limit ${ROWS_PER_STATEMENT}`,
    [namespaceId, kind, afterMatch],
  );
  return rows.map(exceptionOf);
}

/** Written after a revision, in the order of revision and id, behind the one given. */
export async function selectExceptionsChangedAfter(
  sql: Reader,
  revision: number,
  {
    after,
    pageSize,
  }: { readonly after?: Pick<StoredException, 'revision' | 'id'>; readonly pageSize: number },
): Promise<StoredException[]> {
  const rows = await sql.all(
    `select id, namespace_id, kind, form, match_text, limits, created_at, expires_at, revision
     from rule_exceptions
     where (revision, id) > (?1, ?2)
     order by revision, id
     limit ?3`,
    [after?.revision ?? revision + 1, after?.id ?? '', pageSize],
  );
  return rows.map((row) => ({
    ...exceptionKeyOf(row),
    id: textOf(row, 'id'),
    form: choiceOf(row, 'form', MATCH_FORMS),
    limitsText: textOrNullOf(row, 'limits'),
    createdAtMs: integerOf(row, 'created_at'),
    expiresAtMs: integerOrNullOf(row, 'expires_at'),
    revision: integerOf(row, 'revision'),
  }));
}

export async function countPatterns(
  transaction: SqlTransaction,
  namespaceId: string,
  nowMs: number,
): Promise<number> {
  const [row] = await transaction.all(
    `select count(*) as patterns from rule_exceptions
     where namespace_id = ?1 and form = 'pattern' and (expires_at is null or expires_at > ?2)`,
    [namespaceId, nowMs],
  );
  return row === undefined ? 0 : integerOf(row, 'patterns');
}

export async function countInForceByKind(
  transaction: SqlTransaction,
  namespaceId: string,
  nowMs: number,
): Promise<{ readonly kind: ExceptionKind; readonly count: number }[]> {
  const rows = await transaction.all(
    `select kind, count(*) as rows_of_kind from rule_exceptions
     where namespace_id = ?1 and (expires_at is null or expires_at > ?2)
     group by kind`,
    [namespaceId, nowMs],
  );
  return rows.map((row) => ({
    kind: choiceOf(row, 'kind', EXCEPTION_KINDS),
    count: integerOf(row, 'rows_of_kind'),
  }));
}

/** Puts these rows in the place of those with the same key. No key twice, at most ROWS_PER_STATEMENT. */
export async function upsertExceptions(
  { transaction, revision }: Pick<Change, 'transaction' | 'revision'>,
  exceptions: readonly UnnumberedException[],
): Promise<void> {
  await transaction.run(
    `insert into rule_exceptions (id, namespace_id, kind, form, match_text, limits, reason, author, revision,
       created_at, updated_at, expires_at)
     select given.id, given.namespace_id, given.kind, given.form, given.match_text, given.limits, given.reason,
       given.author, cast(?2 as bigint), given.created_at, given.updated_at, given.expires_at
     from ${GIVEN_EXCEPTIONS[transaction.dialect]}
     where true
     on conflict (namespace_id, match_text, kind) do update set
       id = excluded.id, form = excluded.form, limits = excluded.limits, reason = excluded.reason,
       author = excluded.author, revision = excluded.revision, created_at = excluded.created_at,
       updated_at = excluded.updated_at, expires_at = excluded.expires_at`,
    [JSON.stringify(exceptions.map(givenException)), revision],
  );
}

/** Removes the rows of these keys, without listing them as removed. At most ROWS_PER_STATEMENT. */
export async function deleteExceptions(
  transaction: SqlTransaction,
  keys: readonly ExceptionKey[],
): Promise<void> {
  await transaction.run(`delete from rule_exceptions as e where ${isOneOfGiven(transaction.dialect)}`, [
    JSON.stringify(keys.map(givenKey)),
  ]);
}

/** The condition that `e` has one of the keys given. */
function isOneOfGiven(dialect: SqlDialect): string {
  const address = ROW_ADDRESS[dialect];
  return isAmong[dialect](
    `e.${address}`,
    `select (
       select k.${address} from rule_exceptions k
       where k.namespace_id = given.namespace_id and k.match_text = given.match_text and k.kind = given.kind)
     from ${GIVEN_EXCEPTIONS[dialect]}`,
  );
}

/** How many go at once where all of a namespace go: so that others can be answered in between. */
export const EXCEPTIONS_PER_PORTION = 5000;

/** The next ones that go; `place` is the parameter with the namespace's id. */
export const portionOf = (place: '?1' | '?5'): string =>
  `where namespace_id = ${place} order by match_text, kind limit ${EXCEPTIONS_PER_PORTION}`;

/** Removes the next portion, without listing it as removed. Resolves with how many there were. */
export function deletePortion(transaction: SqlTransaction, namespaceId: string): Promise<number> {
  return deleteRows(transaction, 'rule_exceptions', portionOf('?1'), [namespaceId]);
}
