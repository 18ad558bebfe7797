import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { MetricDeclaration } from '../../../src/telemetry/metrics/declaration.ts';
import { METRIC_GROUPS, METRICS } from '../../../src/telemetry/metrics/declarations.ts';

const all = Object.entries<MetricDeclaration>(METRICS);

test('names are in base units, and only counters end in _total', () => {
  for (const [name, { type }] of all) {
    assert.match(name, /^[a-z][a-z0-9_]*[a-z]$/);
    if (!name.startsWith('brume_')) continue;
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.doesNotMatch(name, /_(ms|millis|micros|minutes|kb|mb|kib|mib|percent)(_|$)/, name);
    if (type === 'histogram') assert.match(name, /_(seconds|bytes)$/, name);
  }
});

test("only ChronosDB's names are without the brume_ in front", () => {
  const strangers = all.map(([name]) => name).filter((name) => !name.startsWith('brume_'));
  assert.deepEqual(strangers, [
    'requests_allowed_total',
    'requests_denied_total',
    'redis_latency_ms',
    'grpc_latency_ms',
  ]);
});

test('every metric says in a sentence what it is, has plain labels, and a histogram rising buckets', () => {
  for (const [name, { type, help, labels, buckets }] of all) {
    assert.match(help, /^[^\n]+\.$/, name);
    for (const label of labels) assert.match(label, /^[a-z][a-z_]*$/, name);
    assert.equal(new Set(labels).size, labels.length, name);
    assert.ok(!labels.includes('le'), name);
    assert.equal(buckets !== undefined, type === 'histogram', name);
    const rising = [...(buckets ?? [])].sort((a, b) => a - b);
    assert.deepEqual(rising, buckets ?? [], name);
  }
});

test('no identifier, key, path, host or address is a label', () => {
  const labels = new Set(all.flatMap(([, declaration]) => declaration.labels));
  for (const label of ['identifier', 'key', 'api_key', 'path', 'host', 'address', 'method']) {
    assert.ok(!labels.has(label), label);
  }
});

test('every metric stands once in the groups and in docs/metrics.md', () => {
  const grouped = METRIC_GROUPS.flatMap(({ metrics }) => Object.keys(metrics));
  assert.deepEqual(grouped, Object.keys(METRICS));
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  const headings = [...page.matchAll(/^### (\S+)$/gm)].map(([, name]) => name);
  assert.deepEqual(headings, grouped);
});
