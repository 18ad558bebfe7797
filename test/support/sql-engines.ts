import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSql } from '../../src/stores/sql/open-sql.ts';
import type { Sql, SqlDialect } from '../../src/stores/sql/sql.ts';
import { createTestDatabase } from './postgres.ts';
import { RecordedLog } from './recorded-log.ts';

export const SQL_DIALECTS: readonly SqlDialect[] = ['postgres', 'sqlite'];

/** An empty database of one kind. */
export interface SqlEngine {
  readonly sql: Sql;
  /** Closes and removes it. */
  close(): Promise<void>;
}

export async function openSqlEngine(dialect: SqlDialect, sqlTimeoutMs = 10_000): Promise<SqlEngine> {
  return dialect === 'postgres' ? openPostgres(sqlTimeoutMs) : openSqlite(sqlTimeoutMs);
}

async function openPostgres(sqlTimeoutMs: number): Promise<SqlEngine> {
  const database = await createTestDatabase();
  const sql = await openSql({ databaseUrl: database.url, stateDir: '', sqlTimeoutMs }, new RecordedLog());
  return {
    sql,
    async close() {
      await sql.close();
      await database.drop();
    },
  };
}

async function openSqlite(sqlTimeoutMs: number): Promise<SqlEngine> {
  const stateDir = mkdtempSync(join(tmpdir(), 'brume-sqlite-'));
  const sql = await openSql({ databaseUrl: null, stateDir, sqlTimeoutMs }, new RecordedLog());
  return {
    sql,
    async close() {
      await sql.close();
      rmSync(stateDir, { recursive: true });
    },
  };
}

/**
 * PostgreSQL plans from now on as if its tables were empty, which is what its statistics say of a table that was
 * emptied and filled anew until the next autovacuum. SQLite has no such statistics.
 */
export async function believeTablesEmpty(sql: Sql): Promise<void> {
  if (sql.dialect === 'sqlite') return;
  await sql.transaction(async (transaction) => {
    const tables = await transaction.all(
      `select quote_ident(relname) as name from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables)
      await transaction.run(`alter table ${name} set (autovacuum_enabled = off)`);
    await transaction.run(
      `update pg_class set relpages = 100, reltuples = 0 where relnamespace = 'public'::regnamespace`,
    );
  });
}
