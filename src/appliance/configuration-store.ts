import type { Config } from '../config/config.ts';
import { BrumeError } from '../errors/catalogue.ts';
import { messageOf } from '../errors/message-of.ts';
import { systemClock } from '../limiter/clock.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import type { BorrowedSql } from '../stores/sql/borrowed-sql.ts';
import { migrate } from '../stores/sql/migrate.ts';
import { openSql } from '../stores/sql/open-sql.ts';
import { isPostgresAway } from '../stores/sql/postgres-away.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { WatchedSql } from '../stores/sql/watched-sql.ts';
import type { Logger } from '../telemetry/log.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addSqlPoolMetrics, addSqlWriteMetrics } from '../telemetry/metrics/store-metrics.ts';
import { NotOurs } from './our-database.ts';
import { StartError } from './start-error.ts';

export interface OpenedStore {
  readonly sql: WatchedSql;
  /** Why PostgreSQL, or the database in it, can't be used now; undefined if the schema is up to date. */
  readonly away: StartError | undefined;
}

export interface OpenOptions {
  readonly registry?: MetricsRegistry;
  /** Asked before anything is written: rejects with NotOurs if the database must be waited for, too. */
  readonly assertMayMigrate?: (sql: Sql) => Promise<void>;
  /** This process holds the lock of the state directory already. */
  readonly isDirectoryOwned?: boolean;
  /** Open already, with a schema that is up to date; another process still writes it. */
  readonly borrowed?: BorrowedSql | undefined;
}

/**
 * Opens the configuration store and brings its schema up to date. Any number of nodes may do so at
 * once. Rejects with an error whose message tells the operator what to do; where PostgreSQL is away, it
 * resolves with that error, and whoever has something else to go by can wait for it.
 */
export async function openConfigurationStore(
  config: Config,
  log: Logger,
  { registry, assertMayMigrate, isDirectoryOwned, borrowed }: OpenOptions = {},
): Promise<OpenedStore> {
  const opened = borrowed ?? (await openSql(config, log, { isDirectoryOwned }));
  const sql = new WatchedSql(opened, { clock: systemClock, timers: systemTimers, log });
  if (registry !== undefined) {
    const poolStats = (opened as Sql).poolStats?.bind(opened);
    if (poolStats !== undefined) addSqlPoolMetrics(registry, poolStats);
    addSqlWriteMetrics(registry, () => sql.writeStats());
  }
  try {
    await assertAnswers(sql);
    await assertMayMigrate?.(sql);
    if (borrowed === undefined) await prepareSchema(sql, log);
    return { sql, away: undefined };
  } catch (error) {
    if (error instanceof NotOurs) return { sql, away: error };
    const fault = isStoreFault(error) ? storeIsAway(config, error) : error;
    if (fault instanceof StartError && config.databaseUrl !== null && isPostgresAway(error)) {
      return { sql, away: fault };
    }
    await sql.close();
    throw fault;
  }
}

/** Migrations wait long for each other; a server that does not answer at all is noticed sooner. */
async function assertAnswers(sql: Sql): Promise<void> {
  await sql.all('select 1 as there');
}

/** Rejects as `migrate` does. */
export async function prepareSchema(sql: Sql, log: Logger): Promise<void> {
  for (const { version, name } of await migrate(sql)) log.info({ version, name }, 'migration applied');
}

function isStoreFault(error: unknown): error is BrumeError {
  return error instanceof BrumeError && error.code === 'store_unavailable';
}

function storeIsAway(config: Config, cause: Error): StartError {
  const origin = cause.cause ?? cause;
  const reason = messageOf(origin);
  // PostgreSQL's own errors have a severity: it answers, and says what is wrong.
  const answer = origin instanceof Error && 'severity' in origin ? 'refuses' : 'does not answer';
  return config.databaseUrl === null
    ? new StartError(`BRUME_STATE_DIR: the database in ${config.stateDir} can't be used: ${reason}`, {
        cause,
      })
    : new StartError(`BRUME_DATABASE_URL: PostgreSQL ${answer}: ${reason}`, { cause });
}
