import { BrumeError } from '../../../errors/catalogue.ts';
import type { Migration } from '../migration-file.ts';
import type { SqlTransaction } from '../sql.ts';
import type { Column, DumpItem } from './dump-item.ts';
import { columnsOf } from './dump-tables.ts';
import { applyMigrations, carriedOf, type DumpedMigration } from './dumped-schema.ts';
import { COUNTERS_TABLE, DUMPED_TABLES } from './dumped-tables.ts';
import { insertRows } from './insert-rows.ts';
import { clearTarget, deleteGivenRows, type Target } from './target.ts';

export interface LoadOptions {
  readonly schema: readonly DumpedMigration[];
  readonly target: Target;
  readonly nowMs: number;
  /** Takes the embedded counters; absent: they are left out. */
  readonly counters?: { readonly transaction: SqlTransaction; readonly table: string };
  /** Tests only: instead of those that the executable carries. */
  readonly migrations?: readonly Migration[];
}

/**
 * Puts a dump in the place of what a store holds: in the schema that the dump was made of, which is then
 * brought up to date. Resolves with the number of rows of each table. All of it is one transaction, which
 * the caller ends.
 */
export async function loadDump(
  transaction: SqlTransaction,
  items: AsyncIterable<DumpItem>,
  { schema, target, nowMs, counters, migrations }: LoadOptions,
): Promise<ReadonlyMap<string, number>> {
  const { before, after } = carriedOf(schema, 'the backup', migrations);
  const isSchemaKept =
    target.schema.map(({ sha256 }) => sha256).join() === before.map(({ sha256 }) => sha256).join();
  await clearTarget(transaction, isSchemaKept);
  if (!isSchemaKept || transaction.dialect === 'sqlite') {
    await applyMigrations(transaction, before, nowMs);
    await deleteGivenRows(transaction);
  }
  const counts = new Map<string, number>();
  let into: { transaction: SqlTransaction; table: string; columns: readonly Column[] } | undefined;
  let name = '';
  for await (const item of items) {
    if (item.kind === 'table') {
      name = item.table;
      counts.set(name, 0);
      into = await placeFor(item, transaction, counters);
      continue;
    }
    counts.set(name, (counts.get(name) ?? 0) + item.rows.length);
    if (into !== undefined) await insertRows(into.transaction, into.table, into.columns, item.rows);
  }
  await applyMigrations(transaction, after, nowMs);
  return counts;
}

/** Undefined: to be left out. Rejects where the schema has no such table or not these columns. */
async function placeFor(
  { table, columns }: { readonly table: string; readonly columns: readonly Column[] },
  transaction: SqlTransaction,
  counters: LoadOptions['counters'],
) {
  if (table === COUNTERS_TABLE.name) return counters === undefined ? undefined : { ...counters, columns };
  const known = DUMPED_TABLES.some(({ name }) => name === table) ? await columnsOf(transaction, table) : [];
  const isKnown = columns.every(({ name, type }) =>
    known.some((column) => column.name === name && column.type === type),
  );
  if (known.length === 0 || !isKnown) {
    throw new BrumeError('internal', { cause: new Error(`table ${table} is not as its schema says`) });
  }
  return { transaction, table, columns };
}
