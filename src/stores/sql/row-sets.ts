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

/** The condition that a row of a table is one that `select … from table` with this rest gives: `where`, `limit`, … */
export function isRowOf(dialect: SqlDialect, table: string, rest: string): string {
  const address = ROW_ADDRESS[dialect];
  return isAmong[dialect](address, `select ${address} from ${table} ${rest}`);
}

/** Deletes those rows. Resolves with how many there were. */
export function deleteRows(
  transaction: SqlTransaction,
  table: string,
  rest: string,
  parameters: readonly SqlValue[],
): Promise<number> {
  return transaction.run(
    `delete from ${table} where ${isRowOf(transaction.dialect, table, rest)}`,
    parameters,
  );
}
