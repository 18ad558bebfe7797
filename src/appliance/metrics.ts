import type { Config } from '../config/config.ts';
import type { Clock } from '../limiter/clock.ts';
import type { PolicySnapshot } from '../policy/namespace.ts';
import { CheckMetrics } from '../telemetry/metrics/check-metrics.ts';
import { type CountForKey, chronosdbKeyCounts } from '../telemetry/metrics/key-counts.ts';
import { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addProcessMetrics } from '../telemetry/metrics/process-metrics.ts';
import { type CountRequest, requestMetrics } from '../telemetry/metrics/request-metrics.ts';
import { type CountThrottled, throttleCounts } from '../telemetry/metrics/throttle-counts.ts';
import { TopIdentifiers } from '../telemetry/top/top-identifiers.ts';
import { version } from '../version.ts';

/** What this process counts of itself, and by whom it is told. */
export interface Metrics {
  readonly registry: MetricsRegistry;
  readonly checks: CheckMetrics;
  /** Undefined: no identifiers are held. */
  readonly top: TopIdentifiers | undefined;
  /** Requests of a plane. */
  readonly requests: (plane: string) => CountRequest;
  /** Undefined: verdicts are not counted by key. */
  readonly countForKey: CountForKey | undefined;
  readonly countThrottled: CountThrottled;
  close(): void;
}

type MetricsConfig = Pick<Config, 'redisUrl' | 'metricsChronosdbNames' | 'topIdentifiers' | 'connectionsMax'>;

/** The metrics of the process and of checks; whoever opens a store or a listener adds those of it. */
export function createMetrics(config: MetricsConfig, clock: Clock): Metrics {
  const registry = new MetricsRegistry();
  const top = config.topIdentifiers ? new TopIdentifiers({ clock }) : undefined;
  const checks = new CheckMetrics({
    registry,
    clock,
    store: config.redisUrl === null ? 'embedded' : 'redis',
    top,
    hasChronosdbNames: config.metricsChronosdbNames,
  });
  registry.reading('brume_connections_max', () => config.connectionsMax);
  return {
    registry,
    checks,
    top,
    requests: requestMetrics(registry),
    countForKey: config.metricsChronosdbNames ? chronosdbKeyCounts(registry) : undefined,
    countThrottled: throttleCounts(registry),
    close: addProcessMetrics(registry, version),
  };
}

/** Frees what namespaces that are gone take up in the metrics, before they are read. */
export function forgetGoneNamespaces({ registry, checks }: Metrics, snapshot: PolicySnapshot): void {
  registry.beforeReading(() =>
    checks.retain(({ id, projectId, name }) => snapshot.namespace(projectId, name)?.id === id),
  );
}
