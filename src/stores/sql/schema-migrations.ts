import type { Migration } from './migration-file.ts';
import { integerOf, textOf } from './row.ts';
import type { Sql, SqlExecutor, SqlTransaction } from './sql.ts';

/** A migration as the database remembers it. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly sha256: string;
  readonly isBreaking: boolean;
  readonly appliedAtMs: number;
}

/** "brume" in ASCII: the number of the lock under which schemas change. */
const MIGRATION_LOCK = 0x6272756d65;

/** Waits until no other node migrates; the lock ends with the transaction. SQLite has it from `begin immediate`. */
export async function lockMigrations(transaction: SqlTransaction): Promise<void> {
  if (transaction.dialect === 'sqlite') return;
  await transaction.all('select pg_advisory_xact_lock(?1)', [MIGRATION_LOCK]);
}

export async function createMigrationsTable(transaction: SqlTransaction): Promise<void> {
  const bigint = transaction.dialect === 'postgres' ? 'bigint' : 'integer';
  await transaction.script(
    `create table schema_migrations (
      version ${bigint} not null primary key,
      name text not null,
      sha256 text not null,
      is_breaking ${bigint} not null check (is_breaking in (0, 1)),
      applied_at ${bigint} not null
    ) ${transaction.dialect === 'sqlite' ? 'strict' : ''}`,
  );
}

/**
 * PostgreSQL is asked by a scan: to_regclass goes by a cache of the session, which behind the lock may still
 * say what was so before it.
 */
export async function hasMigrationsTable(sql: Pick<Sql, 'all' | 'dialect'>): Promise<boolean> {
  const rows =
    sql.dialect === 'postgres'
      ? await sql.all(
          `select 1 as found from pg_class where relname = 'schema_migrations' and relkind = 'r' and pg_table_is_visible(oid)`,
        )
      : await sql.all(
          `select 1 as found from sqlite_schema where type = 'table' and name = 'schema_migrations'`,
        );
  return rows.length > 0;
}

export async function appliedMigrations(sql: Pick<SqlExecutor, 'all'>): Promise<AppliedMigration[]> {
  const rows = await sql.all(
    'select version, name, sha256, is_breaking, applied_at from schema_migrations order by version',
  );
  return rows.map((row) => ({
    version: integerOf(row, 'version'),
    name: textOf(row, 'name'),
    sha256: textOf(row, 'sha256'),
    isBreaking: integerOf(row, 'is_breaking') === 1,
    appliedAtMs: integerOf(row, 'applied_at'),
  }));
}

export async function recordMigration(
  transaction: SqlTransaction,
  { version, name, sha256, isBreaking }: Migration,
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `insert into schema_migrations (version, name, sha256, is_breaking, applied_at)
     values (?1, ?2, ?3, ?4, ?5)`,
    [version, name, sha256, isBreaking ? 1 : 0, nowMs],
  );
}
