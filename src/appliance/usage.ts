import type { Config } from '../config/config.ts';
import type { Clock } from '../limiter/clock.ts';
import type { LimiterWatch } from '../limiter/limiter-watch.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { SqlUsageStore } from '../stores/sql/sql-usage-store.ts';
import { UsageCounts } from '../stores/usage/usage-counts.ts';
import { UsageWriter } from '../stores/usage/usage-writer.ts';
import type { Logger } from '../telemetry/log.ts';
import type { CheckMetrics } from '../telemetry/metrics/check-metrics.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addUsageMetrics } from '../telemetry/metrics/store-metrics.ts';
import type { Closers } from './closers.ts';

interface UsageParts {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
  readonly opened: Closers;
}

/** Who uses how much: counted here, and written to the configuration store every so often and at the end. */
export function openUsage(
  { usageWriteMs }: Pick<Config, 'usageWriteMs'>,
  { sql, clock, log, registry, opened }: UsageParts,
): { readonly counts: UsageCounts; readonly usage: SqlUsageStore } {
  const counts = new UsageCounts({ clock });
  const usage = new SqlUsageStore(sql, clock);
  const options = { counts, record: usage, clock, log, timers: systemTimers };
  const writer = new UsageWriter({ ...options, writtenEveryMs: usageWriteMs });
  opened.add(() => writer.stop());
  addUsageMetrics(registry, () => writer.stats());
  return { counts, usage };
}

/** Told of every verdict, for the metrics and for the usage. */
export function countingWatch(checks: CheckMetrics, counts: UsageCounts): LimiterWatch {
  return {
    monotonicMs: () => checks.monotonicMs(),
    onStoreAnswer: (durationMs) => checks.onStoreAnswer(durationMs),
    onVerdict(check, verdict, isRepeated) {
      checks.onVerdict(check, verdict);
      counts.count(check, verdict, isRepeated);
    },
  };
}
