import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedFormat } from '../../../src/telemetry/metrics/accepted-format.ts';

const CASES: readonly [accept: string | undefined, format: string][] = [
  [undefined, 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['application/openmetrics-text', 'openmetrics'],
  ['Application/OpenMetrics-Text; version=1.0.0; charset=utf-8', 'openmetrics'],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
    'openmetrics',
  ],
  ['application/openmetrics-text;q=0.2, text/plain;q=0.9', 'prometheus'],
  ['application/openmetrics-text;q=0', 'prometheus'],
  ['application/openmetrics-text;q=nonsense', 'prometheus'],
];

for (const [accept, format] of CASES) {
  test(`Accept: ${accept ?? '(none)'} gets ${format}`, () => {
    assert.equal(acceptedFormat(accept), format);
  });
}
