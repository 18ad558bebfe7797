import { EXCEPTION_KINDS } from '../../policy/exceptions/rule-exception.ts';
import type { Change } from './change.ts';
import { portionOf, ROWS_PER_STATEMENT } from './exceptions.ts';
import { choiceOf, integerOf, textOf, textOrNullOf } from './row.ts';
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
 * Records the next EXCEPTIONS_PER_PORTION exceptions of a namespace as gone, those that are in force, numbered from
 * `first`, without any of them leaving the database. Resolves with how many items that made.
 */
export function insertItemsOfPortion(
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
     from (select * from rule_exceptions ${portionOf('?5')}) e
     where e.expires_at is null or e.expires_at > ?6`,
    [projectId, revision, first, name, id, nowMs],
  );
}

/** Where a reader of items is: behind this one. */
export interface ItemPosition {
  readonly revision: number;
  readonly item: number;
}

/** Before the first item of a change. */
export const startOf = (revision: number): ItemPosition => ({ revision, item: 0 });

/**
 * What happened behind a position and up to a revision, in its order, in pages. Ranges of whole index
 * rows: PostgreSQL goes along the index then, also where it has no statistics of a table just filled.
 */
export async function* itemPages(
  sql: Reader,
  projectId: string,
  { after, upTo }: { readonly after: ItemPosition; readonly upTo: number },
): AsyncGenerator<readonly ItemRow[]> {
  for (let position = after; ; ) {
    const rows = await sql.all(
      `select ${COLUMNS}, i.revision, i.item from project_change_items i
       where (i.project_id, i.revision, i.item) > (?1, ?2, ?3) and (i.project_id, i.revision) <= (?1, ?4)
       order by i.project_id, i.revision, i.item
       limit ${ROWS_PER_STATEMENT}`,
      [projectId, position.revision, position.item, upTo],
    );
    yield rows.map(itemOf);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_STATEMENT) return;
    position = { revision: integerOf(last, 'revision'), item: integerOf(last, 'item') };
  }
}

/** What happened to namespaces after a revision and up to another, in its order. */
export async function selectNamespaceItems(
  transaction: SqlTransaction,
  projectId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<ItemRow[]> {
  const rows = await transaction.all(
    `select ${COLUMNS} from project_change_items i
     where i.project_id = ?1 and i.revision > ?2 and i.revision <= ?3 and i.match_text = ''
     order by i.revision, i.item`,
    [projectId, after, upTo],
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
