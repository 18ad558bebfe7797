import { EXCEPTION_KINDS } from '../../policy/exceptions/rule-exception.ts';
import type { RemovedException } from '../cache/snapshot-source.ts';
import type { Change } from './change.ts';
import { type ExceptionKey, GIVEN_EXCEPTIONS, givenKey } from './exception-rows.ts';
import { choiceOf, integerOf, textOf } from './row.ts';
import type { SqlExecutor } from './sql.ts';

/** In the order of the removals. */
export async function selectRemovedAfter(
  sql: Pick<SqlExecutor, 'all'>,
  revision: number,
): Promise<RemovedException[]> {
  const rows = await sql.all(
    `select namespace_id, match_text, kind, revision from removed_exceptions
     where revision > ?1
     order by revision, namespace_id, match_text, kind`,
    [revision],
  );
  return rows.map((row) => ({
    namespaceId: textOf(row, 'namespace_id'),
    kind: choiceOf(row, 'kind', EXCEPTION_KINDS),
    match: textOf(row, 'match_text'),
    revision: integerOf(row, 'revision'),
  }));
}

/** Lists keys as removed by this change. At most ROWS_PER_STATEMENT. */
export async function listAsRemoved(
  { transaction, revision, nowMs }: Change,
  keys: readonly ExceptionKey[],
): Promise<void> {
  await transaction.run(
    `insert into removed_exceptions (namespace_id, match_text, kind, revision, removed_at)
     select given.namespace_id, given.match_text, given.kind, cast(?2 as bigint), cast(?3 as bigint)
     from ${GIVEN_EXCEPTIONS[transaction.dialect]}
     where true
     on conflict do nothing`,
    [JSON.stringify(keys.map(givenKey)), revision, nowMs],
  );
}

/**
 * Lists the expired ones of a namespace as removed. With the namespace its exceptions are gone, but a
 * rollback may bring it back: without those that had expired by now.
 */
export async function listExpiredAsRemoved(
  { transaction, revision, nowMs }: Change,
  namespaceId: string,
): Promise<void> {
  await transaction.run(
    `insert into removed_exceptions (namespace_id, match_text, kind, revision, removed_at)
     select namespace_id, match_text, kind, cast(?2 as bigint), cast(?3 as bigint) from rule_exceptions
     where namespace_id = ?1 and expires_at <= ?3
     on conflict do nothing`,
    [namespaceId, revision, nowMs],
  );
}
