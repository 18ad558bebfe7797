import type { Config } from '../config/config.ts';
import { BrumeError } from '../errors/catalogue.ts';
import { migrate } from '../stores/sql/migrate.ts';
import { openSql } from '../stores/sql/open-sql.ts';
import type { Sql } from '../stores/sql/sql.ts';
import type { Logger } from '../telemetry/log.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addSqlPoolMetrics } from '../telemetry/metrics/store-metrics.ts';
import { messageOf, StartError } from './start-error.ts';

/**
 * Opens the configuration store and brings its schema up to date. Any number of nodes may do so at
 * once. Rejects with an error whose message tells the operator what to do.
 */
export async function openConfigurationStore(
  config: Config,
  log: Logger,
  registry?: MetricsRegistry,
): Promise<Sql> {
  const sql = await openSql(config, log);
  const poolStats = sql.poolStats?.bind(sql);
  if (registry !== undefined && poolStats !== undefined) addSqlPoolMetrics(registry, poolStats);
  try {
    for (const { version, name } of await migrate(sql)) log.info({ version, name }, 'migration applied');
    return sql;
  } catch (error) {
    await sql.close();
    throw isAway(error) ? storeIsAway(config, error) : error;
  }
}

function isAway(error: unknown): error is BrumeError {
  return error instanceof BrumeError && error.code === 'store_unavailable';
}

/** Without a configuration there is nothing to decide by, so a node doesn't start. */
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
