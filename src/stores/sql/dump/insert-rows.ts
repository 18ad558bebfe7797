import type { SqlDialect, SqlTransaction } from '../sql.ts';
import type { Column, DumpedRow } from './dump-item.ts';

const ROWS: Readonly<Record<SqlDialect, string>> = {
  postgres: 'json_array_elements(cast(?1 as json)) as given (value)',
  sqlite: 'json_each(?1) as given',
};

/** Any number of rows in one statement, as one parameter. */
export async function insertRows(
  transaction: SqlTransaction,
  table: string,
  columns: readonly Column[],
  rows: readonly DumpedRow[],
): Promise<void> {
  const names = columns.map(({ name }) => name).join(', ');
  const values = columns.map((column, index) => valueAt(transaction.dialect, column, index)).join(', ');
  await transaction.run(
    `insert into ${table} (${names}) select ${values} from ${ROWS[transaction.dialect]}`,
    [JSON.stringify(rows)],
  );
}

function valueAt(dialect: SqlDialect, { type }: Column, index: number): string {
  if (dialect === 'sqlite') return `given.value ->> ${index}`;
  return type === 'text' ? `given.value ->> ${index}` : `cast(given.value ->> ${index} as bigint)`;
}
