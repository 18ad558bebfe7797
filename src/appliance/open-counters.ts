import type { Config } from '../config/config.ts';
import { redisAccess } from '../config/redis-access.ts';
import type { Clock } from '../limiter/clock.ts';
import type { Counters } from '../limiter/counters.ts';
import type { CountersCondition } from '../limiter/counters-condition.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import type { CheckpointedCounters } from '../stores/checkpoints/checkpointed-counters.ts';
import type { BorrowedCounters } from '../stores/embedded/borrowed-counters.ts';
import type { KnownEntries } from '../stores/embedded/load-entries.ts';
import { openEmbeddedCounters } from '../stores/embedded/open-embedded-counters.ts';
import { LocalCounters } from '../stores/local/local-counters.ts';
import { FIRST_ANSWER_MS } from '../stores/redis/ownership.ts';
import { RedisCounters } from '../stores/redis/redis-counters.ts';
import type { Sql } from '../stores/sql/sql.ts';
import type { Logger } from '../telemetry/log.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addEmbeddedMetrics, addLocalMetrics, addRedisMetrics } from '../telemetry/metrics/store-metrics.ts';
import type { CheckpointStats, RedisStats } from '../telemetry/metrics/store-stats.ts';
import { checkpointQuotas } from './checkpoint-quotas.ts';
import { ownRedis } from './own-redis.ts';
import type { OwnedStores } from './owned-stores.ts';
import { logRedisWarnings } from './redis-warnings.ts';

/** After a crash checks are answered first, and to look at all of a Redis takes this process's time. */
const WARNINGS_AFTER_MS = 1000;

interface CountersParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly sql: Sql;
  /** The configuration store has not answered yet. */
  readonly isLate: boolean;
  readonly identifierSecret: Uint8Array;
  /** This node's id. */
  readonly node: string;
  readonly registry: MetricsRegistry;
  /** How many nodes share the counters, this one included; the last number known. */
  readonly liveNodes: () => number;
  /** Absent: nothing in the state directory is this process's yet. */
  readonly owned: OwnedStores | undefined;
  /** Those of another process, which is going to give them up; absent if they are to be opened. */
  readonly borrowed: BorrowedCounters | undefined;
}

export interface OpenedCounters {
  readonly counters: Counters;
  /** As a check would find them, before the node judges by itself. Never rejects. */
  readonly condition: () => Promise<CountersCondition>;
  /** False while what is counted in this process can't be written to its disk. */
  readonly areSaved: () => boolean;
  /** What was counted in this process, once closed, for whoever opens them again. */
  readonly kept: () => KnownEntries | undefined;
  /**
   * Resolves when they can be called for the first time, or were waited for long enough. What waits in the sockets
   * comes at once, and would be unjudged without a connection.
   */
  readonly tried: Promise<void>;
  readonly checkpointStats: () => CheckpointStats;
  /** Absent: they are embedded. */
  readonly redisStats?: () => RedisStats;
  /** The ids of the nodes that count in the same Redis; rejects where it can't be asked. Absent: they are embedded. */
  readonly countingHere?: () => Promise<ReadonlySet<string>>;
}

/**
 * The counters, in Redis or in this process, whose quotas survive their loss. Redis may be away: where a
 * namespace's policy says so, this node judges by itself then.
 *
 * @throws StartError if the Redis is another installation's, or quotas of this process can't be restored.
 */
export async function openCounters(config: Config, parts: CountersParts): Promise<OpenedCounters> {
  const { counters, ...store } = await openStore(config, parts);
  const { clock, log, liveNodes, registry } = parts;
  const local = new LocalCounters({
    counters,
    clock,
    timers: systemTimers,
    log,
    liveNodes,
    identifiersMax: config.localIdentifiersMax,
  });
  addLocalMetrics(registry, () => local.stats());
  return { ...store, counters: local, checkpointStats: () => counters.stats() };
}

interface OpenedStore extends Omit<OpenedCounters, 'checkpointStats'> {
  readonly counters: CheckpointedCounters;
}

async function openStore(config: Config, parts: CountersParts): Promise<OpenedStore> {
  const { redisUrl: url, redisTimeoutMs: timeoutMs, embeddedIdentifiersMax: identifiersMax } = config;
  if (url === null) {
    const { stateDir, databaseUrl } = config;
    const isDirectoryOwned = databaseUrl === null || parts.owned !== undefined;
    const open = { ...parts, stateDir, isDirectoryOwned, identifiersMax, timers: systemTimers };
    const known = parts.owned?.counters;
    const embedded = parts.borrowed?.counters ?? (await openEmbeddedCounters({ ...open, known }));
    addEmbeddedMetrics(parts.registry, () => embedded.stats());
    const counters = await checkpointQuotas(config, embedded, {
      ...parts,
      isWhole: parts.borrowed !== undefined,
    });
    return {
      counters,
      condition: () => embedded.condition(),
      areSaved: () => embedded.isSaved,
      kept: () => embedded.kept(),
      tried: Promise.resolve(),
    };
  }
  const access = redisAccess(config);
  const { own, countingHere } = await ownRedis({ ...parts, url, access });
  const redis = RedisCounters.connect({
    ...parts,
    url,
    access,
    timeoutMs,
    propagationMs: config.propagationMs,
  });
  addRedisMetrics(parts.registry, () => redis.stats());
  let areWarningsLogged = false;
  redis.epoch.onConnect(() => {
    if (areWarningsLogged) return;
    areWarningsLogged = true;
    systemTimers.after(WARNINGS_AFTER_MS, () => void logRedisWarnings({ url, access }, parts.log));
  });
  const owned = own(redis);
  const counters = await checkpointQuotas(config, owned, parts);
  return {
    counters,
    condition: () => owned.condition(),
    areSaved: () => true,
    kept: () => undefined,
    tried: firstTried(redis),
    redisStats: () => redis.stats(),
    countingHere,
  };
}

/** A Redis that is away is not waited for. */
async function firstTried(redis: RedisCounters): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopWaiting = systemTimers.after(FIRST_ANSWER_MS, resolve);
  void redis.firstTry().then(() => resolve());
  await promise;
  stopWaiting();
}
