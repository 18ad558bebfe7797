import { BrumeError } from '../../errors/catalogue.ts';
import { type Clock, systemClock } from '../../limiter/clock.ts';
import { version as brumeVersion } from '../../version.ts';
import { createInstallation } from './installation.ts';
import { carriedMigrations, type Migration } from './migration-file.ts';
import { SchemaError } from './schema-error.ts';
import {
  type AppliedMigration,
  appliedMigrations,
  createMigrationsTable,
  hasMigrationsTable,
  lockMigrations,
  recordMigration,
} from './schema-migrations.ts';
import type { Sql, SqlTransaction } from './sql.ts';
import { isPostgresTimeout } from './sql-fault.ts';

/** Long enough to wait for another node that migrates, and for one migration. */
const MIGRATION_TIMEOUT_MS = 30_000;

export interface SchemaState {
  readonly applied: readonly AppliedMigration[];
  /** Carried by this executable and not applied yet. */
  readonly pending: readonly Migration[];
  /** Applied by a newer executable; none of them breaks this one. */
  readonly newer: readonly AppliedMigration[];
}

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  readonly clock?: Clock;
}

/**
 * Brings the schema to what this executable needs and returns the migrations that it applied: one
 * transaction each, under a lock, so that any number of nodes may start at once.
 * Rejects with SchemaError where the schema isn't one this executable can use; then nothing changed.
 */
export async function migrate(sql: Sql, options: MigrateOptions = {}): Promise<Migration[]> {
  const { migrations = carriedMigrations(), clock = systemClock } = options;
  const applied: Migration[] = [];
  for (;;) {
    const next = await migrateOnce(sql, migrations, clock);
    if (next === undefined) return applied;
    applied.push(next);
  }
}

/** What is applied and what is missing. Rejects with SchemaError like `migrate`. */
export async function schemaState(
  sql: Pick<Sql, 'all' | 'dialect'>,
  migrations: readonly Migration[] = carriedMigrations(),
): Promise<SchemaState> {
  return compare((await hasMigrationsTable(sql)) ? await appliedMigrations(sql) : [], migrations);
}

function migrateOnce(
  sql: Sql,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<Migration | undefined> {
  return sql.transaction(
    async (transaction) => {
      await lockOrExplain(transaction);
      // Asked first, so that a role that may not create tables can start on a finished schema.
      if (!(await hasMigrationsTable(transaction))) await createMigrationsTable(transaction);
      const [next] = compare(await appliedMigrations(transaction), migrations).pending;
      if (next === undefined) {
        await createInstallation(transaction, clock.nowMs());
        return undefined;
      }
      await transaction.script(next.statements[transaction.dialect]);
      await recordMigration(transaction, next, clock.nowMs());
      return next;
    },
    { timeoutMs: MIGRATION_TIMEOUT_MS },
  );
}

async function lockOrExplain(transaction: SqlTransaction): Promise<void> {
  try {
    await lockMigrations(transaction);
  } catch (error) {
    if (!(error instanceof BrumeError && isPostgresTimeout(error.cause))) throw error;
    throw new SchemaError(
      `another node has been at its migrations for ${MIGRATION_TIMEOUT_MS / 1000} s. Its log, or the database's, says ` +
        'what it waits for. Start this node again once that one is ready or stopped.',
      { cause: error },
    );
  }
}

function compare(applied: readonly AppliedMigration[], carried: readonly Migration[]): SchemaState {
  const byVersion = new Map(carried.map((migration) => [migration.version, migration]));
  const newest = Math.max(0, ...byVersion.keys());
  const latest = Math.max(0, ...applied.map(({ version }) => version));
  const newer: AppliedMigration[] = [];
  for (const { version, name, sha256, isBreaking, ...rest } of applied) {
    const known = byVersion.get(version);
    if (known?.sha256 === sha256) continue;
    if (known !== undefined) {
      throw new SchemaError(
        `migration ${version} (${name}) in the database differs from the one that Brume ${brumeVersion} carries: ` +
          'one of the two was changed after its release. Use an unchanged release of Brume.',
      );
    }
    if (version < newest || isBreaking) {
      throw new SchemaError(
        `the database has migration ${version} (${name}), which Brume ${brumeVersion} does not know and can't work with: ` +
          `its own go up to ${newest}, the database's up to ${latest}. Install the newer Brume that made it, or ` +
          'restore a backup from before it. Nothing was changed.',
      );
    }
    newer.push({ version, name, sha256, isBreaking, ...rest });
  }
  const done = new Set(applied.map(({ version }) => version));
  return { applied, pending: carried.filter(({ version }) => !done.has(version)), newer };
}
