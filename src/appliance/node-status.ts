import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { redisAccess } from '../config/redis-access.ts';
import type { Clock } from '../limiter/clock.ts';
import type { NodeStatus } from '../planes/management/node-status.ts';
import { redisAddressOf } from '../stores/redis/redis-address.ts';
import type { CheckpointStats, RedisStats } from '../telemetry/metrics/store-stats.ts';
import { version } from '../version.ts';
import type { DegradedNamespaces } from './degraded-namespaces.ts';
import type { Readiness } from './readiness.ts';

interface StatusParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly readiness: Pick<Readiness, 'report'>;
  readonly liveNodes: () => number;
  readonly countingElsewhere: () => NodeStatus['nodesElsewhere'];
  readonly redisStats: (() => RedisStats) | undefined;
  readonly checkpointStats: () => CheckpointStats;
  readonly degraded: DegradedNamespaces;
}

/** What this node says of itself, whenever it is asked. */
export function nodeStatus(
  config: Config,
  { clock, readiness, liveNodes, countingElsewhere, redisStats, checkpointStats, degraded }: StatusParts,
): () => Promise<NodeStatus> {
  const startedMs = clock.nowMs();
  const host = hostname();
  const { redisUrl, databaseUrl } = config;
  const topology = redisUrl === null ? null : redisAddressOf(redisUrl, redisAccess(config)).place.kind;
  return async () => {
    const { status, stores, snapshot } = await readiness.report();
    return {
      status,
      stores,
      snapshot,
      version,
      startedMs,
      host,
      pid: process.pid,
      nodes: liveNodes(),
      nodesElsewhere: countingElsewhere().map(({ host: where, pid }) => ({ host: where, pid })),
      configuration: databaseUrl === null ? 'sqlite' : 'postgresql',
      counters: redisUrl === null ? 'embedded' : 'redis',
      topology,
      redis: redisStats?.(),
      checkpoints: checkpointStats(),
      degraded: degraded.list(),
    };
  };
}
