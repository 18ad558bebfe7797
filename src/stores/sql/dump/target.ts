import { allowAnotherAudit } from '../audit-pruning.ts';
import { NODE_GONE_AFTER_MS } from '../node-registry.ts';
import { deleteNodesUnseenFor, lockNodes, type Node, selectNodes } from '../nodes.ts';
import { integerOf, textOf } from '../row.ts';
import { appliedMigrations, hasMigrationsTable } from '../schema-migrations.ts';
import type { SqlTransaction } from '../sql.ts';
import { columnsOf } from './dump-tables.ts';
import { carriedOf, type DumpedMigration } from './dumped-schema.ts';
import { DUMPED_TABLES, UNDUMPED_TABLES } from './dumped-tables.ts';

/** What a store into which a dump is to be loaded holds before. */
export interface Target {
  readonly schema: readonly DumpedMigration[];
  /** Null: there is no installation in it. */
  readonly installation: { readonly identifierSecret: string; readonly revision: number } | null;
  /** Tables that are not empty, but for what every new installation has. */
  readonly filled: readonly string[];
  /** Processes that serve from it. */
  readonly liveNodes: readonly Node[];
}

/** Rejects with SchemaError where a newer Brume made it. No node enters before the transaction ends. */
export async function lookAtTarget(transaction: SqlTransaction): Promise<Target> {
  if (!(await hasMigrationsTable(transaction))) {
    return { schema: [], installation: null, filled: [], liveNodes: [] };
  }
  const schema = await appliedMigrations(transaction);
  carriedOf(schema, 'the database');
  const existing = await existingTables(transaction);
  const filled: string[] = [];
  for (const table of existing) {
    const { givenRows = 0 } = DUMPED_TABLES.find(({ name }) => name === table) ?? {};
    if (UNDUMPED_TABLES.includes(table)) continue;
    const rows = await transaction.all(`select 1 as there from ${table} limit ${givenRows + 1}`);
    if (rows.length > givenRows) filled.push(table);
  }
  return {
    schema,
    installation: existing.includes('installation') ? await installationOf(transaction) : null,
    filled,
    liveNodes: existing.includes('nodes') ? await liveNodes(transaction) : [],
  };
}

async function installationOf(transaction: SqlTransaction): Promise<Target['installation']> {
  const [row] = await transaction.all('select identifier_secret, revision from installation where id = 1');
  return row === undefined
    ? null
    : { identifierSecret: textOf(row, 'identifier_secret'), revision: integerOf(row, 'revision') };
}

async function liveNodes(transaction: SqlTransaction): Promise<Node[]> {
  await lockNodes(transaction);
  await deleteNodesUnseenFor(transaction, NODE_GONE_AFTER_MS);
  return selectNodes(transaction);
}

/** Takes everything of Brume's out: emptied where the schema is to stay as it is, so that grants stay, too. */
export async function clearTarget(transaction: SqlTransaction, isSchemaKept: boolean): Promise<void> {
  const existing = await existingTables(transaction);
  if (existing.length === 0) return;
  if (isSchemaKept && transaction.dialect === 'postgres') {
    await allowAnotherAuditIfKept(transaction);
    const emptied = existing.filter((table) => table !== 'schema_migrations');
    return transaction.script(`truncate table ${emptied.join(', ')}`);
  }
  if (transaction.dialect === 'postgres') return transaction.script(`drop table ${existing.join(', ')}`);
  for (const table of existing) await transaction.script(`drop table ${table}`);
}

/** A schema from before the audit was kept has nothing to allow. */
async function allowAnotherAuditIfKept(transaction: SqlTransaction): Promise<void> {
  const columns = await columnsOf(transaction, 'installation');
  if (columns.some(({ name }) => name === 'audit_kept_from')) await allowAnotherAudit(transaction);
}

/** Those that refer to others come first. */
async function existingTables(transaction: SqlTransaction): Promise<string[]> {
  const existing: string[] = [];
  for (const table of [...DUMPED_TABLES.map(({ name }) => name), ...UNDUMPED_TABLES].toReversed()) {
    if ((await columnsOf(transaction, table)).length > 0) existing.push(table);
  }
  return existing;
}

/** Takes out the rows that the migrations made: a dump has them, as they are by now. */
export async function deleteGivenRows(transaction: SqlTransaction): Promise<void> {
  const existing = await existingTables(transaction);
  for (const { name, givenRows = 0 } of DUMPED_TABLES.toReversed()) {
    if (givenRows > 0 && existing.includes(name)) await transaction.run(`delete from ${name}`);
  }
}
