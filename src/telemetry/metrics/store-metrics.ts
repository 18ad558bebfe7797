import type { MetricsRegistry } from './metrics-registry.ts';
import type {
  ChangeListenerStats,
  CheckpointStats,
  ClusterStats,
  EmbeddedStats,
  KeyCacheStats,
  LocalStats,
  RedisStats,
  SnapshotFileStats,
  SnapshotStats,
  SqlPoolStats,
  SqlWriteStats,
  UsageStats,
} from './store-stats.ts';

const asNumber = (flag: boolean): number => (flag ? 1 : 0);
const inSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

const byLabel = (counts: Readonly<Record<string, number>>): [[string], number][] =>
  Object.entries(counts).map(([label, count]) => [[label], count]);

export function addSnapshotMetrics(
  registry: MetricsRegistry,
  snapshot: {
    state(): { readonly revision: number; readonly ageMs: number; readonly isStale: boolean };
    stats(): SnapshotStats;
  },
): void {
  registry.reading('brume_snapshot_revision', () => snapshot.state().revision);
  registry.reading('brume_snapshot_age_seconds', () => snapshot.state().ageMs / 1000);
  registry.reading('brume_snapshot_stale', () => asNumber(snapshot.state().isStale));
  registry.reading('brume_snapshot_namespaces', () => snapshot.stats().namespaces);
  registry.reading('brume_snapshot_keys', () => snapshot.stats().keys);
  registry.reading('brume_snapshot_exceptions', () => snapshot.stats().exceptions);
  registry.reading('brume_snapshot_bytes', () => snapshot.stats().bytes);
  registry.reading('brume_snapshot_refresh_failures_total', () => snapshot.stats().refreshFailures);
  registry.reading('brume_snapshot_whole_loads_total', () => snapshot.stats().wholeLoads);
}

export function addSnapshotFileMetrics(registry: MetricsRegistry, stats: () => SnapshotFileStats): void {
  registry.reading('brume_snapshot_file_age_seconds', () => inSeconds(stats().ageMs));
  registry.reading('brume_snapshot_file_failures_total', () => stats().writeFailures);
  registry.reading('brume_started_from_snapshot_file', () => asNumber(stats().isStartedFrom));
}

export function addChangeListenerMetrics(registry: MetricsRegistry, stats: () => ChangeListenerStats): void {
  registry.reading('brume_change_listener_connected', () => asNumber(stats().isListening));
  registry.reading('brume_change_listener_reconnects_total', () => Math.max(0, stats().connections - 1));
}

export function addSqlPoolMetrics(registry: MetricsRegistry, stats: () => SqlPoolStats): void {
  registry.readings('brume_sql_connections', () => {
    const { total, idle } = stats();
    return [
      [['idle'], idle],
      [['used'], total - idle],
    ];
  });
  registry.reading('brume_sql_waiting', () => stats().waiting);
}

export function addSqlWriteMetrics(registry: MetricsRegistry, stats: () => SqlWriteStats): void {
  registry.reading('brume_sql_write_failures_total', () => stats().failures);
  registry.reading('brume_sql_read_only', () => asNumber(stats().isReadOnly));
}

export function addKeyCacheMetrics(registry: MetricsRegistry, stats: () => KeyCacheStats): void {
  registry.readings('brume_key_cache_entries', () => {
    const { size, unknown } = stats();
    return [
      [['known'], size],
      [['unknown'], unknown],
    ];
  });
  registry.reading('brume_key_cache_hits_total', () => stats().hits);
  registry.reading('brume_key_cache_misses_total', () => stats().misses);
  registry.reading('brume_key_cache_stale_hits_total', () => stats().staleHits);
  registry.reading('brume_key_cache_evictions_total', () => stats().evictions);
  registry.reading('brume_key_lookups_total', () => stats().lookups);
  registry.reading('brume_key_lookup_failures_total', () => stats().failures);
  registry.reading('brume_key_lookups_in_flight', () => stats().lookupsUnderWay);
  registry.reading('brume_key_lookups_waiting', () => stats().lookupsWaiting);
}

export function addRedisMetrics(registry: MetricsRegistry, stats: () => RedisStats): void {
  registry.reading('brume_redis_connected', () => asNumber(stats().isConnected));
  registry.readings('brume_redis_faults_total', () => byLabel(stats().faults));
  registry.reading('brume_redis_may_evict', () => {
    const { mayEvict } = stats();
    return mayEvict === undefined ? undefined : asNumber(mayEvict);
  });
  registry.reading('brume_redis_evicted_keys_total', () => stats().evictions);
  registry.readings('brume_redis_breakers', () => byLabel(stats().breakers));
  registry.reading('brume_redis_reconnects_total', () => stats().reconnects);
  registry.reading('brume_redis_calls_total', () => stats().calls);
  registry.reading('brume_redis_timeouts_total', () => stats().timeouts);
  registry.reading('brume_redis_failures_total', () => stats().failures);
  registry.reading('brume_redis_clock_steps_total', () => stats().clockSteps);
  registry.reading('brume_redis_clock_step_timestamp_seconds', () => inSeconds(stats().clockSteppedAtMs));
  registry.reading('brume_redis_servers_changed_total', () => stats().serverChanges);
  registry.reading('brume_redis_sentinels_reachable', () => stats().reachableSentinels);
  if (stats().cluster !== undefined) addClusterMetrics(registry, () => stats().cluster);
}

/** A large cluster is told of by its shards. */
const CLUSTER_NODES_TOLD_MAX = 64;

function addClusterMetrics(registry: MetricsRegistry, stats: () => ClusterStats | undefined): void {
  registry.readings('brume_redis_cluster_node_connected', () =>
    (stats()?.nodes ?? [])
      .slice(0, CLUSTER_NODES_TOLD_MAX)
      .map(({ name, isConnected }) => [[name], asNumber(isConnected)]),
  );
  registry.readings('brume_redis_cluster_redirections_total', () =>
    Object.entries(stats()?.redirections ?? {}).map(([kind, count]) => [[kind], count]),
  );
  registry.reading('brume_redis_cluster_shards', () => stats()?.shards);
  registry.reading('brume_redis_cluster_shards_away', () => stats()?.shardsAway);
  registry.reading('brume_redis_cluster_map_reads_total', () => stats()?.refreshes);
  registry.reading('brume_redis_cluster_map_read_failures_total', () => stats()?.refreshFailures);
}

export function addEmbeddedMetrics(registry: MetricsRegistry, stats: () => EmbeddedStats): void {
  registry.reading('brume_embedded_identifiers', () => stats().size);
  registry.reading('brume_embedded_identifiers_max', () => stats().max);
  registry.reading('brume_embedded_refusals_total', () => stats().refusals);
  registry.reading('brume_embedded_flush_failures_total', () => stats().flush?.failures);
  registry.reading('brume_embedded_flush_lag_seconds', () => inSeconds(stats().flush?.lagMs));
  registry.reading('brume_embedded_clock_steps_total', () => stats().clockSteps);
  registry.reading('brume_embedded_clock_step_timestamp_seconds', () => inSeconds(stats().clockSteppedAtMs));
}

export function addLocalMetrics(registry: MetricsRegistry, stats: () => LocalStats): void {
  registry.reading('brume_local_identifiers', () => stats().identifiers);
  registry.reading('brume_local_unsure_identifiers', () => stats().unsure);
  registry.readings('brume_local_verdicts_total', () => {
    const { admitted, denied, refused } = stats();
    return [
      [['admitted'], admitted],
      [['denied'], denied],
      [['refused'], refused],
    ];
  });
  registry.reading('brume_local_merged_total', () => stats().merged);
  registry.reading('brume_local_lost_total', () => stats().lost);
}

export function addCheckpointMetrics(registry: MetricsRegistry, stats: () => CheckpointStats): void {
  registry.reading('brume_counters_lost_total', () => stats().losses);
  registry.reading('brume_counters_loss_timestamp_seconds', () => inSeconds(stats().lostAtMs));
  registry.reading('brume_quotas_restored_total', () => stats().restored);
  registry.reading('brume_quota_checkpoints_pending', () => stats().pending);
  registry.reading('brume_quota_checkpoints_written_total', () => stats().written);
  registry.reading('brume_quota_checkpoint_failures_total', () => stats().failures);
  registry.reading('brume_quota_checkpoints_dropped_total', () => stats().dropped);
}

export function addUsageMetrics(registry: MetricsRegistry, stats: () => UsageStats): void {
  registry.reading('brume_usage_pending', () => stats().pending);
  registry.reading('brume_usage_written_total', () => stats().written);
  registry.reading('brume_usage_write_failures_total', () => stats().failures);
  registry.reading('brume_usage_dropped_verdicts_total', () => stats().dropped);
}
