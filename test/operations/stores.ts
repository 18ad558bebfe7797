import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { StoresConfig } from '../../src/operations/stores-config.ts';
import { columnsOf, dumpTables, type SnapshotReader } from '../../src/stores/sql/dump/dump-tables.ts';
import { insertRows } from '../../src/stores/sql/dump/insert-rows.ts';
import { readAtOneMoment } from '../../src/stores/sql/dump/read-at-one-moment.ts';
import { migrate } from '../../src/stores/sql/migrate.ts';
import { carriedMigrations, type Migration } from '../../src/stores/sql/migration-file.ts';
import { openSql } from '../../src/stores/sql/open-sql.ts';
import type { SqlDialect, SqlTransaction, SqlValue } from '../../src/stores/sql/sql.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Stores of a test with nothing in them. */
export async function emptyStores(test: TestContext, dialect: SqlDialect): Promise<StoresConfig> {
  const stateDir = join(temporaryDirectory(test), 'state');
  const common = { stateDir, sqlTimeoutMs: 20_000, redisUrl: null };
  if (dialect === 'sqlite') return { ...common, databaseUrl: null };
  const database = await createTestDatabase();
  test.after(() => database.drop());
  return { ...common, databaseUrl: database.url };
}

/** Writes as a Brume that runs does. */
export async function write<Result>(
  config: StoresConfig,
  work: (transaction: SqlTransaction) => Promise<Result>,
  migrations: readonly Migration[] = carriedMigrations(),
): Promise<Result> {
  const sql = await openSql(config, new RecordedLog());
  try {
    await migrate(sql, { migrations });
    return await sql.transaction(work, { timeoutMs: 60_000 });
  } finally {
    await sql.close();
  }
}

/** A project with so many exceptions, and texts that are hard to carry. */
export async function fill(transaction: SqlTransaction, exceptions: number, name = 'shop'): Promise<void> {
  const project = `prj_${name}`;
  const at = 1_790_000_000_000;
  await transaction.run(
    'insert into projects (id, name, revision, created_at, updated_at) values (?1, ?2, 3, ?3, ?3)',
    [project, name, at],
  );
  await transaction.run(
    `insert into namespaces (id, project_id, name, rule, version, created_at, updated_at)
     values (?1, ?2, 'login', ?3, 1, ?4, ?4)`,
    [
      `ns_${name}`,
      project,
      '{"limits":[{"name":"a","algorithm":"fixed_window","limit":9007199254740991,"windowMs":60000}]}',
      at,
    ],
  );
  await transaction.run(
    `insert into api_keys (id, project_id, name, kind, scopes, prefix, sha256, created_at, expires_at, revoked_at)
     values (?1, ?2, ?3, 'service', 'limit', 'bk_1', ?4, ?5, null, 9007199254740991)`,
    [`key_${name}`, project, 'Zoë 🚀 "\u2028\\', 'a'.repeat(63) + (name[0] ?? 'a'), at],
  );
  await transaction.run('update installation set revision = 3 where id = 1');
  if ((await columnsOf(transaction, 'usage')).length > 0) {
    await transaction.run(
      `insert into usage (project_id, step, start_at, namespace, key_id, allowed, denied, degraded, cost)
       values (?1, 'hour', ?2, 'login', ?3, 1, 2, 3, 9007199254740991), (?1, 'day', ?2, 'login', '', 1, 2, 3, 4)`,
      [project, at, `key_${name}`],
    );
  }
  const columns = await columnsOf(transaction, 'rule_exceptions');
  if (columns.length === 0) return;
  for (let first = 0; first < exceptions; first += 1000) {
    const rows = Array.from({ length: Math.min(1000, exceptions - first) }, (_, index) => {
      const number = first + index;
      const row: Record<string, SqlValue> = {
        id: `ex_${name}_${String(number).padStart(9, '0')}`,
        namespace_id: `ns_${name}`,
        kind: 'block',
        form: 'exact',
        match_text: `user-${number}`,
        limits: null,
        reason: 'because',
        author: 'local:root',
        revision: 3,
        created_at: at,
        updated_at: at,
        expires_at: number % 2 === 0 ? null : at + number,
      };
      return columns.map((column) => row[column.name] ?? null);
    });
    await insertRows(transaction, 'rule_exceptions', columns, rows);
  }
}

/** Everything that is in the configuration store, but for what a restore raises. */
export async function contents(config: StoresConfig): Promise<unknown[]> {
  return readAtOneMoment(config, readAll);
}

async function readAll(reader: SnapshotReader): Promise<unknown[]> {
  const found: unknown[] = [];
  let table = '';
  for await (const item of dumpTables(reader)) {
    if (item.kind === 'table') table = item.table;
    if (item.kind === 'table') found.push([item.table, item.columns]);
    else if (table === 'installation') found.push(item.rows.map(([id, secret]) => [id, secret]));
    else found.push(...item.rows);
  }
  return found;
}
