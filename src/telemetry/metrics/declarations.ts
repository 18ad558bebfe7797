import type { MetricDeclarations } from './declaration.ts';
import { CHRONOSDB } from './declarations/chronosdb.ts';
import { CONFIGURATION } from './declarations/configuration.ts';
import { COUNTERS } from './declarations/counters.ts';
import { KEY_CACHE } from './declarations/key-cache.ts';
import { PROCESS } from './declarations/process.ts';
import { REQUESTS } from './declarations/requests.ts';
import { VERDICTS } from './declarations/verdicts.ts';

/** Every metric by its name. Names are a promise: dashboards and alerts stand on them. */
export const METRICS = {
  ...VERDICTS,
  ...REQUESTS,
  ...CONFIGURATION,
  ...KEY_CACHE,
  ...COUNTERS,
  ...PROCESS,
  ...CHRONOSDB,
} as const;

export type MetricName = keyof typeof METRICS;

/** The metrics in the order and under the headings in which the documentation shows them. */
export const METRIC_GROUPS: readonly { title: string; metrics: MetricDeclarations }[] = [
  { title: 'Verdicts', metrics: VERDICTS },
  { title: 'Requests and connections', metrics: REQUESTS },
  { title: 'Configuration', metrics: CONFIGURATION },
  { title: 'Cache of API keys', metrics: KEY_CACHE },
  { title: 'Counters', metrics: COUNTERS },
  { title: 'Process', metrics: PROCESS },
  { title: "ChronosDB's names", metrics: CHRONOSDB },
];
