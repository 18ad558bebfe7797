import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { addListenerMetrics } from '../../src/appliance/listener-metrics.ts';
import { createMetrics } from '../../src/appliance/metrics.ts';
import { systemClock } from '../../src/limiter/clock.ts';
import { METRICS } from '../../src/telemetry/metrics/declarations.ts';
import { addDiskMetrics } from '../../src/telemetry/metrics/disk-metrics.ts';
import {
  addChangeListenerMetrics,
  addCheckpointMetrics,
  addEmbeddedMetrics,
  addKeyCacheMetrics,
  addLocalMetrics,
  addRedisMetrics,
  addSnapshotFileMetrics,
  addSnapshotMetrics,
  addSqlPoolMetrics,
  addSqlWriteMetrics,
  addUsageMetrics,
} from '../../src/telemetry/metrics/store-metrics.ts';
import { parsedMetrics } from '../support/parsed-metrics.ts';

/** Until Brume speaks gRPC. */
const WITHOUT_SOURCE = ['grpc_latency_ms'];

test('every metric that is declared has a source, and every source gives lines', async (t) => {
  const config = {
    redisUrl: 'redis://127.0.0.1',
    metricsChronosdbNames: true,
    topIdentifiers: true,
    connectionsMax: 10,
  };
  const metrics = createMetrics(config, systemClock);
  t.after(() => metrics.close());
  const { registry } = metrics;
  addListenerMetrics(registry, [{ name: 'data', server: { connectionCount: 2, runningCount: 1 } }]);
  addSnapshotMetrics(registry, {
    state: () => ({ revision: 7, ageMs: 1500, isStale: false }),
    stats: () => ({ namespaces: 3, keys: 4, exceptions: 5, bytes: 6, refreshFailures: 7, wholeLoads: 8 }),
  });
  addSnapshotFileMetrics(registry, () => ({ ageMs: 2500, writeFailures: 1, isStartedFrom: true }));
  addChangeListenerMetrics(registry, () => ({ isListening: true, connections: 3 }));
  addSqlPoolMetrics(registry, () => ({ total: 5, idle: 2, waiting: 1 }));
  addSqlWriteMetrics(registry, () => ({ failures: 3, isReadOnly: true }));
  addKeyCacheMetrics(registry, () => ({
    size: 1,
    unknown: 2,
    hits: 3,
    misses: 4,
    staleHits: 5,
    evictions: 6,
    failures: 7,
    lookups: 8,
    lookupsUnderWay: 9,
    lookupsWaiting: 10,
  }));
  addRedisMetrics(registry, () => ({
    isConnected: true,
    faults: { busy: 1 },
    mayEvict: true,
    evictions: 1,
    breakers: { closed: 1, open: 0, half_open: 0 },
    reconnects: 1,
    calls: 2,
    timeouts: 3,
    failures: 4,
    clockSteps: 5,
    clockSteppedAtMs: 1.7e12,
    serverChanges: 6,
    reachableSentinels: 3,
    cluster: {
      nodes: Array.from({ length: 70 }, (_, index) => ({ name: `10.0.0.${index}:6379`, isConnected: true })),
      shards: 35,
      shardsAway: 1,
      redirections: { moved: 1, ask: 2, tryagain: 3 },
      refreshes: 4,
      refreshFailures: 5,
    },
  }));
  addUsageMetrics(registry, () => ({ pending: 1, written: 2, failures: 3, dropped: 4 }));
  addEmbeddedMetrics(registry, () => ({
    size: 1,
    max: 2,
    refusals: 3,
    clockSteps: 6,
    clockSteppedAtMs: 1.7e12,
    flush: { failures: 4, lagMs: 500 },
  }));
  addLocalMetrics(registry, () => ({
    identifiers: 1,
    unsure: 7,
    admitted: 2,
    denied: 3,
    refused: 4,
    merged: 5,
    lost: 6,
  }));
  addCheckpointMetrics(registry, () => ({
    losses: 1,
    lostAtMs: 1.7e12,
    restored: 2,
    pending: 1,
    written: 2,
    failures: 3,
    dropped: 4,
  }));
  registry.reading('brume_predecessor_draining_seconds', () => 0);
  registry.reading('brume_nodes_counting_elsewhere', () => 0);
  registry.reading('brume_log_lines_lost_total', () => 0);
  addDiskMetrics(registry, tmpdir());
  registry.readings('brume_certificate_end_timestamp_seconds', () => [[['BRUME_REDIS_TLS_CA'], 1.5e9]]);
  metrics.checks.onVerdict(
    { namespace: { id: 'ns_1', projectId: 'prj_1', name: 'api' }, identifier: 'ann', peek: false },
    { success: true, reason: null, degraded: true },
  );
  metrics.checks.onDegraded('open', 'timeout');
  metrics.checks.onStoreAnswer(3);
  metrics.requests('data')('/v1/limit', 200, 4);
  metrics.countForKey?.('key_1', true);

  const families = parsedMetrics(await registry.text('prometheus'), 'prometheus');
  const expected = Object.keys(METRICS).filter((name) => !WITHOUT_SOURCE.includes(name));
  assert.deepEqual([...families.keys()], expected);
  const reading = (series: string) => families.get(series.replace(/\{.*/, ''))?.samples.get(series);
  assert.equal(reading('brume_snapshot_age_seconds'), 1.5);
  assert.equal(reading('brume_snapshot_file_age_seconds'), 2.5);
  assert.equal(reading('brume_started_from_snapshot_file'), 1);
  assert.equal(reading('brume_change_listener_reconnects_total'), 2);
  assert.equal(reading('brume_sql_connections{state="used"}'), 3);
  assert.equal(reading('brume_embedded_flush_lag_seconds'), 0.5);
  assert.equal(families.get('brume_redis_cluster_node_connected')?.samples.size, 64);
  assert.equal(reading('brume_redis_cluster_redirections_total{kind="tryagain"}'), 3);
  assert.equal(reading('brume_degraded_verdicts_total{policy="open",fault="timeout"}'), 1);
  assert.equal(families.get('redis_latency_ms')?.samples.get('redis_latency_ms_bucket{le="5"}'), 1);
});
