import type { SqlDialect, SqlTransaction, SqlValue } from './sql.ts';

/**
 * Rows are named by a query here, and taken by another, without a join. How PostgreSQL joins rests on
 * what it last knew of the sizes of tables, and until the next autovacuum that may be a table just emptied:
 * then it goes through the whole of it for each row. Without a join it goes along an index, whatever it knows.
 */

/** The condition that a column has one of the values that a query of one column gives. */
export const isAmong: Readonly<Record<SqlDialect, (column: string, query: string) => string>> = {
  postgres: (column, query) => `${column} = any (array(${query}))`,
  sqlite: (column, query) => `${column} in (${query})`,
};

/** Where a row lies: the fastest way to it within a statement, and none beyond. */
export const ROW_ADDRESS: Readonly<Record<SqlDialect, string>> = { postgres: 'ctid', sqlite: 'rowid' };

/**
 * Deletes the rows of a table that `select … from table` with this rest gives: `where`, `order by`, `limit`.
 * Resolves with how many there were.
 */
export function deleteRows(
  transaction: SqlTransaction,
  table: string,
  rest: string,
  parameters: readonly SqlValue[],
): Promise<number> {
  const address = ROW_ADDRESS[transaction.dialect];
  const isOne = isAmong[transaction.dialect](address, `select ${address} from ${table} ${rest}`);
  return transaction.run(`delete from ${table} where ${isOne}`, parameters);
}
