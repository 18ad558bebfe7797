import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chronosdbKeyCounts } from '../../../src/telemetry/metrics/key-counts.ts';
import { MetricsRegistry } from '../../../src/telemetry/metrics/metrics-registry.ts';
import { parsedMetrics } from '../../support/parsed-metrics.ts';

test("ChronosDB's counters have a line for each of 500 keys, and one for all others", async () => {
  const registry = new MetricsRegistry();
  const count = chronosdbKeyCounts(registry);
  for (let n = 0; n < 20_000; n++) count(`key_${n}`, n % 2 === 0);
  const families = parsedMetrics(await registry.text('prometheus'), 'prometheus');
  const allowed = families.get('requests_allowed_total')?.samples ?? new Map<string, number>();
  const denied = families.get('requests_denied_total')?.samples ?? new Map<string, number>();
  assert.equal(allowed.size, 501);
  assert.equal(denied.size, 501);
  assert.equal(allowed.get('requests_allowed_total{api_key_id="key_0"}'), 1);
  assert.equal(denied.get('requests_denied_total{api_key_id="other"}'), 9750);
});
