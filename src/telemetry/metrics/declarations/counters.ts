import type { MetricDeclarations } from '../declaration.ts';

export const COUNTERS = {
  brume_redis_connected: {
    type: 'gauge',
    help: '1 while Redis can be called. At 0 the circuit is open: checks fail at once and the failure policies decide.',
    labels: [],
  },
  brume_redis_faults_total: {
    type: 'counter',
    help: 'Calls to Redis and connections that failed, by what it showed: see docs/redis-faults.md. noscript fails nothing: the script is sent once more.',
    labels: ['kind'],
  },
  brume_redis_may_evict: {
    type: 'gauge',
    help: '1 while the maxmemory-policy of Redis is another than noeviction: full memory may then cost counters, and admit more than their limits.',
    labels: [],
  },
  brume_redis_evicted_keys_total: {
    type: 'counter',
    help: 'Keys that Redis has evicted, as this node saw it when it connected and once a minute.',
    labels: [],
  },
  brume_redis_breakers: {
    type: 'gauge',
    help: 'Connections to Redis by the state of their circuit: closed, open (calls fail at once), half_open (one try is under way).',
    labels: ['state'],
  },
  brume_redis_reconnects_total: {
    type: 'counter',
    help: 'Connections to Redis that were made after the first.',
    labels: [],
  },
  brume_redis_calls_total: {
    type: 'counter',
    help: 'Calls to Redis. The checks of one moment share a call.',
    labels: [],
  },
  brume_redis_timeouts_total: {
    type: 'counter',
    help: 'Calls to Redis that had no answer in BRUME_REDIS_TIMEOUT_MS, or whose connection ended before.',
    labels: [],
  },
  brume_redis_failures_total: {
    type: 'counter',
    help: 'Calls to Redis that it refused, or that could not be made.',
    labels: [],
  },
  brume_redis_clock_steps_total: {
    type: 'counter',
    help: 'Steps of the clock of Redis by more than a second: windows end early or late by as much.',
    labels: [],
  },
  brume_redis_clock_step_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last of these steps was seen, in seconds since 1970; absent where none was.',
    labels: [],
  },
  brume_redis_servers_changed_total: {
    type: 'counter',
    help: 'Times at which another Redis server answered than before, or the same one started again: what the former one had not passed on or saved is lost, and may be admitted once more.',
    labels: [],
  },
  brume_redis_sentinels_reachable: {
    type: 'gauge',
    help: 'Sentinels that answer; absent where BRUME_REDIS_URL names none.',
    labels: [],
  },
  brume_redis_cluster_node_connected: {
    type: 'gauge',
    help: 'Whether this node of the Redis Cluster is connected, masters and replicas; of at most 64 nodes.',
    labels: ['node'],
  },
  brume_redis_cluster_redirections_total: {
    type: 'counter',
    help: 'Calls that a node of the Redis Cluster did not run, and that were sent again, by what it said: moved, ask or tryagain.',
    labels: ['kind'],
  },
  brume_redis_cluster_shards: {
    type: 'gauge',
    help: 'Masters of the Redis Cluster that have slots.',
    labels: [],
  },
  brume_redis_cluster_shards_away: {
    type: 'gauge',
    help: 'Shards of the Redis Cluster that can not be called now: checks of their identifiers are answered by the failure policy.',
    labels: [],
  },
  brume_redis_cluster_map_reads_total: {
    type: 'counter',
    help: 'Times at which it was read which node of the Redis Cluster has which slots.',
    labels: [],
  },
  brume_redis_cluster_map_read_failures_total: {
    type: 'counter',
    help: 'Times at which a node did not tell which node of the Redis Cluster has which slots.',
    labels: [],
  },
  brume_embedded_identifiers: {
    type: 'gauge',
    help: 'Identifiers that the embedded counters hold; those that ended and were not cleared yet included.',
    labels: [],
  },
  brume_embedded_identifiers_max: {
    type: 'gauge',
    help: 'The most identifiers that the embedded counters hold (BRUME_EMBEDDED_IDENTIFIERS_MAX).',
    labels: [],
  },
  brume_embedded_refusals_total: {
    type: 'counter',
    help: 'Checks of new identifiers that were not counted since the embedded counters are full.',
    labels: [],
  },
  brume_embedded_flush_failures_total: {
    type: 'counter',
    help: 'Attempts to write the embedded counters to disk that failed.',
    labels: [],
  },
  brume_embedded_flush_lag_seconds: {
    type: 'gauge',
    help: 'How long the oldest change of the embedded counters waits to be on disk, at most: what a crash would lose.',
    labels: [],
  },
  brume_embedded_clock_steps_total: {
    type: 'counter',
    help: 'Steps of the clock of this host by more than a second, with embedded counters: windows end early, or last as long as before.',
    labels: [],
  },
  brume_embedded_clock_step_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last of these steps was seen, in seconds since 1970; absent where none was.',
    labels: [],
  },
  brume_local_identifiers: {
    type: 'gauge',
    help: 'Identifiers that this node judges by itself since the counters gave no answer (onStoreFailure local), until that is merged into them.',
    labels: [],
  },
  brume_local_unsure_identifiers: {
    type: 'gauge',
    help: 'Identifiers that the counters judge again, of which this node keeps what it admitted and nobody knows whether it was counted, until its windows are over. They have a place in BRUME_LOCAL_IDENTIFIERS_MAX, too.',
    labels: [],
  },
  brume_local_verdicts_total: {
    type: 'counter',
    help: 'Checks that this node judged by itself, by its share of the limits; peeks are left out. refused: of new identifiers beyond BRUME_LOCAL_IDENTIFIERS_MAX, which are denied.',
    labels: ['outcome'],
  },
  brume_local_merged_total: {
    type: 'counter',
    help: 'Identifiers of which what this node had admitted by itself was merged into the counters.',
    labels: [],
  },
  brume_local_lost_total: {
    type: 'counter',
    help: 'Identifiers of which nobody knows whether that was merged, as the counters went away in the meantime: it is not merged again.',
    labels: [],
  },
  brume_counters_lost_total: {
    type: 'counter',
    help: 'Times at which the counters may have lost what they had counted, as this node noticed: a flush, another server, a restart. Limits may begin anew then, quotas are restored.',
    labels: [],
  },
  brume_counters_loss_timestamp_seconds: {
    type: 'gauge',
    help: 'When this node noticed the last of these losses, in seconds since 1970; absent where it noticed none.',
    labels: [],
  },
  brume_quotas_restored_total: {
    type: 'counter',
    help: 'Quotas that this node gave back to the counters from their checkpoints, as the counters had less of them.',
    labels: [],
  },
  brume_quota_checkpoints_pending: {
    type: 'gauge',
    help: 'Quotas whose count waits to be written to the configuration store.',
    labels: [],
  },
  brume_quota_checkpoints_written_total: {
    type: 'counter',
    help: 'Counts of quotas that were written to the configuration store.',
    labels: [],
  },
  brume_quota_checkpoint_failures_total: {
    type: 'counter',
    help: 'Rounds in which the counts of quotas could not be written to the configuration store.',
    labels: [],
  },
  brume_quota_checkpoints_dropped_total: {
    type: 'counter',
    help: 'Counts of quotas that gave way unwritten, as too many waited.',
    labels: [],
  },
  brume_usage_pending: {
    type: 'gauge',
    help: 'Hours of namespaces and keys whose usage waits to be written to the configuration store.',
    labels: [],
  },
  brume_usage_written_total: {
    type: 'counter',
    help: 'Hours of namespaces and keys whose usage was written to the configuration store; an hour counts each time.',
    labels: [],
  },
  brume_usage_write_failures_total: {
    type: 'counter',
    help: 'Rounds in which usage could not be written to the configuration store.',
    labels: [],
  },
  brume_usage_dropped_verdicts_total: {
    type: 'counter',
    help: 'Verdicts that are missing in the usage, as too much of it waits to be written.',
    labels: [],
  },
} as const satisfies MetricDeclarations;
