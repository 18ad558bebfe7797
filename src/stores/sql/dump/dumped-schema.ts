import { carriedMigrations, type Migration } from '../migration-file.ts';
import { SchemaError } from '../schema-error.ts';
import {
  appliedMigrations,
  createMigrationsTable,
  hasMigrationsTable,
  recordMigration,
} from '../schema-migrations.ts';
import type { SqlTransaction } from '../sql.ts';
import type { SnapshotReader } from './dump-tables.ts';

/** A migration that the schema of a dump has had. */
export type DumpedMigration = Pick<Migration, 'version' | 'name' | 'sha256' | 'isBreaking'>;

/** What a store's schema is. Rejects with SchemaError where a newer Brume made it: this one doesn't know all tables. */
export async function dumpedSchema(reader: SnapshotReader): Promise<DumpedMigration[]> {
  const applied = (await hasMigrationsTable(reader)) ? await appliedMigrations(reader) : [];
  carriedOf(applied, 'the database');
  return applied.map(({ version, name, sha256, isBreaking }) => ({ version, name, sha256, isBreaking }));
}

/**
 * The migrations that lead to a schema, and those that lead on from it. Throws SchemaError where this
 * executable doesn't carry all of the first.
 */
export function carriedOf(
  schema: readonly Pick<DumpedMigration, 'version' | 'name' | 'sha256'>[],
  whose: string,
  carried: readonly Migration[] = carriedMigrations(),
): { readonly before: Migration[]; readonly after: Migration[] } {
  const before = schema.map(({ version, name, sha256 }) => {
    const known = carried.find((migration) => migration.version === version);
    if (known === undefined) {
      throw new SchemaError(
        `${whose} has migration ${version} (${name}), which this Brume does not know: a newer Brume made it. ` +
          'Use that one, or a newer one still.',
      );
    }
    if (known.sha256 !== sha256) {
      throw new SchemaError(
        `${whose} has another migration ${version} (${name}) than this Brume: one of the two was changed ` +
          'after its release. Use an unchanged release of Brume.',
      );
    }
    return known;
  });
  return { before, after: carried.filter((migration) => !before.includes(migration)) };
}

/** Within one transaction, the lock of migrations held. */
export async function applyMigrations(
  transaction: SqlTransaction,
  migrations: readonly Migration[],
  nowMs: number,
): Promise<void> {
  if (!(await hasMigrationsTable(transaction))) await createMigrationsTable(transaction);
  for (const migration of migrations) {
    await transaction.script(migration.statements[transaction.dialect]);
    await recordMigration(transaction, migration, nowMs);
  }
}
