import type { DegradedNamespace } from '../../telemetry/degraded-namespaces.ts';
import type { CheckpointStats, RedisStats } from '../../telemetry/metrics/store-stats.ts';
import type { Readiness } from '../hooks/health-routes.ts';

/** What a node knows of itself. */
export interface NodeStatus extends Pick<Readiness, 'status' | 'stores' | 'snapshot'> {
  readonly version: string;
  readonly startedMs: number;
  readonly host: string;
  readonly pid: number;
  /** How many nodes share the configuration store, this one included; the last number known. */
  readonly nodes: number;
  readonly configuration: 'sqlite' | 'postgresql';
  readonly counters: 'embedded' | 'redis';
  /** Of Redis; null where the counters are embedded. */
  readonly topology: 'single' | 'sentinel' | 'cluster' | null;
  readonly redis: RedisStats | undefined;
  readonly checkpoints: CheckpointStats;
  readonly degraded: readonly DegradedNamespace[];
}
