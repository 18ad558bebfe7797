import { DUMPED_TABLES } from './dump/dumped-tables.ts';
import { findIdentifierSecret } from './identifier-secret.ts';
import { appliedMigrations, hasMigrationsTable } from './schema-migrations.ts';
import type { Sql } from './sql.ts';

/** What a database holds, whatever its schema's version. */
export type HeldInstallation =
  /** None, or nothing but the beginnings of a schema. */
  | { readonly state: 'none' }
  | { readonly state: 'whole' | 'being_restored'; readonly identifierSecret: Uint8Array };

/** Only reads. */
export async function heldInstallation(sql: Pick<Sql, 'all' | 'dialect'>): Promise<HeldInstallation> {
  const isBegun = (await hasMigrationsTable(sql)) && (await appliedMigrations(sql)).length > 0;
  const identifierSecret = isBegun ? await findIdentifierSecret(sql) : undefined;
  if (identifierSecret === undefined) return { state: 'none' };
  return { state: (await isRestoring(sql)) ? 'being_restored' : 'whole', identifierSecret };
}

/**
 * Whether a dump of PostgreSQL's own is being loaded: pg_restore and psql fill tables first, and add the
 * primary keys when the rows are there. All tables of Brume have one.
 */
export async function isRestoring(sql: Pick<Sql, 'all' | 'dialect'>): Promise<boolean> {
  if (sql.dialect === 'sqlite') return false;
  const names = ['schema_migrations', ...DUMPED_TABLES.map(({ name }) => name)];
  const rows = await sql.all(
    `select 1 as found from pg_class c
     where c.oid in (${names.map((_, index) => `to_regclass(?${index + 1})`).join(', ')})
       and not exists (select 1 from pg_constraint p where p.conrelid = c.oid and p.contype = 'p')
     limit 1`,
    names,
  );
  return rows.length > 0;
}
