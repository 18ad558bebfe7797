import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VerdictCounts } from '../../../src/telemetry/metrics/verdict-counts.ts';

const ALLOWED = { success: true, reason: null, degraded: false };
const DENIED = { success: false, reason: 'limit', degraded: false };

function namespace(n: number | string, name = `ns${n}`) {
  return { id: `id${n}`, projectId: 'prj', name };
}

/** `namespace decision reason degraded`, and the number. */
function counted(counts: VerdictCounts): Record<string, number> {
  const series = [...counts.samples()].map(({ labels, value }) => {
    const values = [...labels.matchAll(/="([^"]*)"/g)].map(([, text]) => text);
    return [values.slice(1).join(' '), value] as const;
  });
  assert.equal(new Set(series.map(([name]) => name)).size, series.length, 'a series is there twice');
  return Object.fromEntries(series);
}

test('verdicts count by namespace, decision, reason and degradation', () => {
  const counts = new VerdictCounts();
  counts.count(namespace(1), ALLOWED);
  counts.count(namespace(1), ALLOWED);
  counts.count(namespace(1), { success: true, reason: 'exempt', degraded: false });
  counts.count(namespace(1), { success: true, reason: null, degraded: true });
  counts.count(namespace(1), { success: false, reason: 'store_unavailable', degraded: true });
  counts.count(namespace(1), { success: false, reason: 'of a later version', degraded: false });
  assert.deepEqual(counted(counts), {
    'ns1 allowed none false': 2,
    'ns1 allowed none true': 1,
    'ns1 denied limit false': 0,
    'ns1 allowed exempt false': 1,
    'ns1 denied store_unavailable true': 1,
    'ns1 denied other false': 1,
  });
});

test('of 20,000 namespaces 500 have lines of their own, and nothing is lost', () => {
  const counts = new VerdictCounts();
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 20_000; n++) counts.count(namespace(n), DENIED);
  }
  const series = counted(counts);
  assert.equal(Object.keys(series).length, 501 * 2);
  assert.equal(series['ns0 denied limit false'], 2);
  assert.equal(series['other denied limit false'], 19_500 * 2);
  assert.equal(
    Object.values(series).reduce((sum, value) => sum + value, 0),
    40_000,
  );
});

test('a namespace that is gone frees its place', () => {
  const counts = new VerdictCounts(2);
  for (const n of [1, 2, 3]) counts.count(namespace(n), DENIED);
  assert.equal(counted(counts)['ns3 denied limit false'], undefined);
  counts.retain(({ id }) => id !== 'id1');
  counts.count(namespace(3), DENIED);
  const series = counted(counts);
  assert.equal(series['ns1 denied limit false'], undefined);
  assert.equal(series['ns2 denied limit false'], 1);
  assert.equal(series['ns3 denied limit false'], 1);
  assert.equal(series['other denied limit false'], 1);
});

test('a namespace that is made again under its name goes on where it was, in one line', () => {
  const counts = new VerdictCounts();
  counts.count(namespace('old', 'login'), DENIED);
  counts.count(namespace('new', 'login'), DENIED);
  assert.equal(counted(counts)['login denied limit false'], 2);
  counts.retain(({ id }) => id === 'idnew');
  counts.count(namespace('new', 'login'), DENIED);
  assert.equal(counted(counts)['login denied limit false'], 3);
});
