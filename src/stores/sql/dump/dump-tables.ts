import { BrumeError } from '../../../errors/catalogue.ts';
import { choiceOf, textOf } from '../row.ts';
import type { Row, SqlDialect, SqlExecutor, SqlValue } from '../sql.ts';
import type { Column, DumpedRow, DumpItem } from './dump-item.ts';
import { DUMPED_TABLES, type DumpedTable } from './dumped-tables.ts';

/** Read at once: a few megabytes at the most, whatever the table's size. */
const PAGE_ROWS = 500;

/** A connection on which everything is read as it is at one moment. */
export interface SnapshotReader extends Pick<SqlExecutor, 'all'> {
  readonly dialect: SqlDialect;
}

/** All tables that there are of those that a backup holds, in the order in which they can be loaded. */
export async function* dumpTables(reader: SnapshotReader): AsyncGenerator<DumpItem> {
  for (const table of DUMPED_TABLES) {
    const columns = await columnsOf(reader, table.name);
    // A schema that is older than this executable.
    if (columns.length > 0) yield* dumpTable(reader, table, columns);
  }
}

export async function* dumpTable(
  reader: SnapshotReader,
  { name, key }: DumpedTable,
  columns: readonly Column[],
  source = name,
): AsyncGenerator<DumpItem> {
  yield { kind: 'table', table: name, columns };
  const names = columns.map((column) => column.name);
  const select = `select ${names.join(', ')} from ${source}`;
  const order = `order by ${key.join(', ')} limit ${PAGE_ROWS}`;
  const cursor = key.map((_, index) => `?${index + 1}`).join(', ');
  const next = `${select} where (${key.join(', ')}) > (${cursor}) ${order}`;
  const keyIndexes = key.map((column) => names.indexOf(column));
  let rows = await page(reader, columns, `${select} ${order}`, []);
  for (;;) {
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { kind: 'rows', rows };
    if (rows.length < PAGE_ROWS) return;
    rows = await page(
      reader,
      columns,
      next,
      keyIndexes.map((index) => last[index] ?? null),
    );
  }
}

async function page(
  reader: SnapshotReader,
  columns: readonly Column[],
  statement: string,
  parameters: readonly SqlValue[],
): Promise<DumpedRow[]> {
  const rows = await reader.all(statement, parameters);
  return rows.map((row) => columns.map((column) => typedValue(row, column)));
}

function typedValue(row: Row, { name, type }: Column): SqlValue {
  const value = row[name];
  if (value === null) return null;
  if (type === 'text' && typeof value === 'string') return value;
  if (type === 'integer' && Number.isSafeInteger(value)) return value as number;
  throw new BrumeError('internal', { cause: new Error(`column ${name} holds what is no ${type}`) });
}

const COLUMNS: Readonly<Record<SqlDialect, string>> = {
  postgres: `select attname as name, case when format_type(atttypid, null) in ('bigint', 'smallint') then 'integer' else format_type(atttypid, null) end as type
    from pg_attribute where attrelid = to_regclass(?1) and attnum > 0 and not attisdropped order by attnum`,
  sqlite: 'select name, lower(type) as type from pragma_table_info(?1) order by cid',
};

/** None where there is no such table. */
export async function columnsOf(reader: SnapshotReader, table: string): Promise<Column[]> {
  const rows = await reader.all(COLUMNS[reader.dialect], [table]);
  return rows.map((row) => ({
    name: textOf(row, 'name'),
    type: choiceOf(row, 'type', ['text', 'integer'] as const),
  }));
}
