import type { Config } from '../config/config.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Clock } from '../limiter/clock.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import { CheckpointedCounters } from '../stores/checkpoints/checkpointed-counters.ts';
import type { RestorableCounters } from '../stores/checkpoints/quota-checkpoint.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { SqlCheckpointStore } from '../stores/sql/sql-checkpoint-store.ts';
import type { Logger } from '../telemetry/log.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addCheckpointMetrics } from '../telemetry/metrics/store-metrics.ts';
import { StartError } from './start-error.ts';

interface CheckpointParts {
  readonly sql: Sql;
  /** The configuration store has not answered yet: what is in it is restored when it does. */
  readonly isLate: boolean;
  /** The counters were handed over, with all that they had counted. */
  readonly isWhole?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
}

/**
 * Counters whose quotas survive the loss of what they counted; closing them closes those given.
 *
 * @throws StartError if those of this process can't be restored.
 */
export async function checkpointQuotas(
  config: Config,
  counters: RestorableCounters,
  { sql, isLate, isWhole = false, clock, log, registry }: CheckpointParts,
): Promise<CheckpointedCounters> {
  try {
    const checkpointed = await CheckpointedCounters.start({
      counters,
      store: new SqlCheckpointStore(sql, clock),
      clock,
      timers: systemTimers,
      log,
      checkpointMs: config.quotaCheckpointMs,
      isStoreAway: isLate,
      isWhole,
    });
    addCheckpointMetrics(registry, () => checkpointed.stats());
    return checkpointed;
  } catch (error) {
    await counters.close();
    const reason = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    throw new StartError(`the quotas can't be read back from their checkpoints: ${reason}`, { cause: error });
  }
}
