import { EXCEPTION_KINDS } from '../../policy/exceptions/rule-exception.ts';
import type { Change } from './change.ts';
import { ROWS_PER_STATEMENT } from './exceptions.ts';
import { choiceOf, textOf, textOrNullOf } from './row.ts';
import type { Row, SqlDialect, SqlExecutor, SqlTransaction } from './sql.ts';
import { EXCEPTION_ITEM_SQL, type ItemRow } from './stored-items.ts';

type Reader = Pick<SqlExecutor, 'all'>;

const COLUMNS = 'i.namespace, i.match_text, i.kind, i.before_json, i.after_json';

const GIVEN: Readonly<Record<SqlDialect, string>> = {
  postgres: `json_to_recordset(cast(?1 as json)) as given (
    item bigint, namespace text, match_text text, kind text, before_json text, after_json text)`,
  sqlite: `(
    select value ->> 'item' as item, value ->> 'namespace' as namespace,
      value ->> 'match_text' as match_text, value ->> 'kind' as kind,
      value ->> 'before_json' as before_json, value ->> 'after_json' as after_json
    from json_each(?1)) as given`,
};

/** Numbered from `first`. At most ROWS_PER_STATEMENT. */
export async function insertItems(
  { transaction, revision }: Change,
  projectId: string,
  first: number,
  items: readonly ItemRow[],
): Promise<void> {
  const given = items.map(({ namespace, exception, beforeText, afterText }, index) => ({
    item: first + index,
    namespace,
    match_text: exception?.match ?? '',
    kind: exception?.kind ?? '',
    before_json: beforeText,
    after_json: afterText,
  }));
  await transaction.run(
    `insert into project_change_items (project_id, revision, item, namespace, match_text, kind, before_json, after_json)
     select cast(?2 as text), cast(?3 as bigint), given.item, given.namespace, given.match_text, given.kind,
       given.before_json, given.after_json
     from ${GIVEN[transaction.dialect]}`,
    [JSON.stringify(given), projectId, revision],
  );
}

/**
 * Records every exception of a namespace that is in force as gone, numbered from `first`, without any
 * of them leaving the database. Resolves with how many there are.
 */
export function insertItemsOfAll(
  { transaction, revision, nowMs }: Change,
  projectId: string,
  first: number,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<number> {
  return transaction.run(
    `insert into project_change_items (project_id, revision, item, namespace, match_text, kind, before_json, after_json)
     select cast(?1 as text), cast(?2 as bigint),
       cast(?3 as bigint) - 1 + row_number() over (order by e.match_text, e.kind),
       cast(?4 as text), e.match_text, e.kind, ${EXCEPTION_ITEM_SQL[transaction.dialect]}, null
     from rule_exceptions e
     where e.namespace_id = ?5 and (e.expires_at is null or e.expires_at > ?6)`,
    [projectId, revision, first, name, id, nowMs],
  );
}

/** Those of one change from `first` on, in their order; at most ROWS_PER_STATEMENT. */
async function selectItems(
  sql: Reader,
  projectId: string,
  revision: number,
  first: number,
): Promise<ItemRow[]> {
  const rows = await sql.all(
    `select ${COLUMNS} from project_change_items i
     where i.project_id = ?1 and i.revision = ?2 and i.item >= ?3
     order by i.item
     limit ${ROWS_PER_STATEMENT}`,
    [projectId, revision, first],
  );
  return rows.map(itemOf);
}

/** All items of one change, in their order. */
export async function readItems(sql: Reader, projectId: string, revision: number): Promise<ItemRow[]> {
  const items: ItemRow[] = [];
  for (;;) {
    const page = await selectItems(sql, projectId, revision, items.length + 1);
    items.push(...page);
    if (page.length < ROWS_PER_STATEMENT) return items;
  }
}

/** How an item of a thing that was changed after a revision was then: what its first change since found. */
const FIRST_SINCE = `i.project_id = ?1 and i.revision > ?2 and not exists (
  select 1 from project_change_items earlier
  where earlier.project_id = i.project_id and earlier.namespace = i.namespace
    and earlier.match_text = i.match_text and earlier.kind = i.kind and earlier.revision > ?2
    and (earlier.revision, earlier.item) < (i.revision, i.item))`;

/** All namespaces changed after a revision; `beforeText` is how they were then. By name. */
export async function selectNamespacesSince(
  transaction: SqlTransaction,
  projectId: string,
  revision: number,
): Promise<ItemRow[]> {
  const rows = await transaction.all(
    `select ${COLUMNS} from project_change_items i
     where i.match_text = '' and i.kind = '' and ${FIRST_SINCE}
     order by i.namespace`,
    [projectId, revision],
  );
  return rows.map(itemOf);
}

/** Exceptions changed after a revision; `beforeText` is how they were then. At most ROWS_PER_STATEMENT. */
export async function selectExceptionsSince(
  transaction: SqlTransaction,
  projectId: string,
  revision: number,
  after: { readonly namespace: string; readonly match: string; readonly kind: string },
): Promise<ItemRow[]> {
  const rows = await transaction.all(
    `select ${COLUMNS} from project_change_items i
     where (i.namespace, i.match_text, i.kind) > (?3, ?4, ?5) and i.match_text <> '' and ${FIRST_SINCE}
     order by i.namespace, i.match_text, i.kind
     limit ${ROWS_PER_STATEMENT}`,
    [projectId, revision, after.namespace, after.match, after.kind],
  );
  return rows.map(itemOf);
}

function itemOf(row: Row): ItemRow {
  const match = textOf(row, 'match_text');
  return {
    namespace: textOf(row, 'namespace'),
    exception: match === '' ? null : { kind: choiceOf(row, 'kind', EXCEPTION_KINDS), match },
    beforeText: textOrNullOf(row, 'before_json'),
    afterText: textOrNullOf(row, 'after_json'),
  };
}
