import type { CountersFault } from '../../limiter/counters.ts';
import type { FailurePolicy } from '../../limiter/degradation.ts';
import type { CheckpointStats, RedisStats } from '../../telemetry/metrics/store-stats.ts';
import type { Readiness } from '../hooks/health-routes.ts';

/** A namespace whose failure policy decides now. */
export interface DegradedNamespace {
  readonly projectId: string;
  readonly name: string;
  readonly policy: FailurePolicy;
  /** What the counters failed with last. */
  readonly fault: CountersFault;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** Verdicts by the policy since then. */
  readonly verdicts: number;
}

/** What a node knows of itself. */
export interface NodeStatus extends Pick<Readiness, 'status' | 'stores' | 'snapshot'> {
  readonly version: string;
  readonly startedMs: number;
  readonly host: string;
  readonly pid: number;
  /** How many nodes share the configuration store, this one included; the last number known. */
  readonly nodes: number;
  /** Those of them that count in another Redis, or can't reach this node's. */
  readonly nodesElsewhere: readonly { readonly host: string; readonly pid: number }[];
  readonly configuration: 'sqlite' | 'postgresql';
  readonly counters: 'embedded' | 'redis';
  /** Of Redis; null where the counters are embedded. */
  readonly topology: 'single' | 'sentinel' | 'cluster' | null;
  readonly redis: RedisStats | undefined;
  readonly checkpoints: CheckpointStats;
  readonly degraded: readonly DegradedNamespace[];
}
