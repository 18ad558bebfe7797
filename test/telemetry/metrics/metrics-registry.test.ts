import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsRegistry } from '../../../src/telemetry/metrics/metrics-registry.ts';
import { addProcessMetrics } from '../../../src/telemetry/metrics/process-metrics.ts';
import { requestMetrics } from '../../../src/telemetry/metrics/request-metrics.ts';
import { parsedMetrics } from '../../support/parsed-metrics.ts';

test('numbers are read when the metrics are, after what prepares them', async () => {
  const registry = new MetricsRegistry();
  let waiting: number | undefined;
  registry.beforeReading(async () => {
    waiting = 7;
  });
  registry.reading('brume_sql_waiting', () => waiting);
  registry.reading('brume_snapshot_bytes', () => undefined);
  const families = parsedMetrics(await registry.text('openmetrics'), 'openmetrics');
  assert.deepEqual([...families.keys()], ['brume_sql_waiting']);
  assert.equal(families.get('brume_sql_waiting')?.samples.get('brume_sql_waiting'), 7);
});

test('of the process: build, CPU, memory, descriptors, event loop', async (t) => {
  const registry = new MetricsRegistry();
  t.after(addProcessMetrics(registry, '1.2.3'));
  const families = parsedMetrics(await registry.text('prometheus'), 'prometheus');
  const reading = (series: string) => {
    const name = series.replace(/\{.*/, '');
    return families.get(name)?.samples.get(series) ?? Number.NaN;
  };
  assert.equal(reading(`brume_build_info{version="1.2.3",node="${process.versions.node}"}`), 1);
  assert.ok(reading('brume_process_cpu_seconds_total{mode="user"}') > 0);
  assert.ok(reading('brume_process_resident_memory_bytes') > 1e6);
  assert.ok(reading('brume_process_heap_bytes{state="used"}') > 1e5);
  assert.ok(reading('brume_process_open_fds') > 2);
  assert.ok(reading('brume_process_max_fds') >= reading('brume_process_open_fds'));
  assert.ok(reading('brume_event_loop_active_seconds_total') >= 0);
  assert.ok(Math.abs(reading('brume_process_start_time_seconds') - Date.now() / 1000) < 3600);
  assert.equal(families.get('brume_event_loop_delay_seconds')?.type, 'histogram');
});

test('requests count by plane, route and class of status, and what matches no route under one', async () => {
  const registry = new MetricsRegistry();
  const ofPlane = requestMetrics(registry);
  const count = ofPlane('data');
  count('/v1/limit', 200, 2);
  count('/v1/limit', 204, 2);
  count('/v1/limit', 503, 30);
  for (let n = 0; n < 100; n++) count(undefined, 404, 1);
  ofPlane('admin')('/v1/projects', 200, 1);
  const { samples } = parsedMetrics(await registry.text('prometheus'), 'prometheus').get(
    'brume_requests_total',
  ) ?? { samples: new Map<string, number>() };
  assert.deepEqual(Object.fromEntries(samples), {
    'brume_requests_total{plane="data",route="/v1/limit",status="2xx"}': 2,
    'brume_requests_total{plane="data",route="/v1/limit",status="5xx"}': 1,
    'brume_requests_total{plane="data",route="unmatched",status="4xx"}': 100,
    'brume_requests_total{plane="admin",route="/v1/projects",status="2xx"}': 1,
  });
});
