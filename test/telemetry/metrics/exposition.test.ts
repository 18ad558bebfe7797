import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exposition, type MetricSource } from '../../../src/telemetry/metrics/exposition.ts';
import { Counter, Histogram } from '../../../src/telemetry/metrics/instruments.ts';
import { labelsText } from '../../../src/telemetry/metrics/sample.ts';
import { parsedMetrics } from '../../support/parsed-metrics.ts';

function sources(): MetricSource[] {
  const counter = new Counter();
  counter.add(3);
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.1, 0.2, 5]) histogram.observe(value);
  const labels = labelsText(['name'], ['a "b"\\\n']);
  return [
    {
      name: 'brume_things_total',
      declaration: { type: 'counter', help: 'Things, "all" \\ of them.', labels: ['name'] },
      samples: () => counter.samples(labels),
    },
    {
      name: 'brume_wait_seconds',
      declaration: { type: 'histogram', help: 'Waiting.', labels: [] },
      samples: () => histogram.samples(''),
    },
    {
      name: 'brume_faults_total',
      declaration: { type: 'counter', help: 'Faults.', labels: ['kind'] },
      samples: () => [],
    },
    {
      name: 'brume_absent',
      declaration: { type: 'gauge', help: 'Nothing.', labels: [] },
      samples: () => [],
    },
  ];
}

const PROMETHEUS = String.raw`# HELP brume_things_total Things, "all" \\ of them.
# TYPE brume_things_total counter
brume_things_total{name="a \"b\"\\\n"} 3
# HELP brume_wait_seconds Waiting.
# TYPE brume_wait_seconds histogram
brume_wait_seconds_bucket{le="0.1"} 1
brume_wait_seconds_bucket{le="1"} 2
brume_wait_seconds_bucket{le="+Inf"} 3
brume_wait_seconds_sum 5.3
brume_wait_seconds_count 3
# HELP brume_faults_total Faults.
# TYPE brume_faults_total counter
`;

const OPENMETRICS = String.raw`# HELP brume_things Things, \"all\" \\ of them.
# TYPE brume_things counter
brume_things_total{name="a \"b\"\\\n"} 3
# HELP brume_wait_seconds Waiting.
# TYPE brume_wait_seconds histogram
# UNIT brume_wait_seconds seconds
brume_wait_seconds_bucket{le="0.1"} 1
brume_wait_seconds_bucket{le="1.0"} 2
brume_wait_seconds_bucket{le="+Inf"} 3
brume_wait_seconds_sum 5.3
brume_wait_seconds_count 3
# HELP brume_faults Faults.
# TYPE brume_faults counter
# EOF
`;

test('both formats are written to the letter, one after the other; what has not been counted yet has a head, a gauge without a number none', async () => {
  const all = sources();
  for (let round = 0; round < 2; round++) {
    assert.equal(await exposition(all, 'prometheus'), PROMETHEUS);
    assert.equal(await exposition(all, 'openmetrics'), OPENMETRICS);
  }
  parsedMetrics(PROMETHEUS, 'prometheus');
  parsedMetrics(OPENMETRICS, 'openmetrics');
});

test('a long exposition gives checks their turn after every 250 lines', async () => {
  let turns = 0;
  const long: MetricSource = {
    name: 'brume_long',
    declaration: { type: 'gauge', help: 'Many.', labels: ['n'] },
    *samples() {
      for (let n = 0; n < 2100; n++) yield { suffix: '', labels: labelsText(['n'], [String(n)]), value: n };
    },
  };
  const text = await exposition([long], 'prometheus', async () => {
    turns++;
  });
  assert.equal(turns, 8);
  assert.equal(parsedMetrics(text, 'prometheus').get('brume_long')?.samples.size, 2100);
});
