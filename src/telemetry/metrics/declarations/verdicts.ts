import type { MetricDeclarations } from '../declaration.ts';

export const VERDICTS = {
  brume_verdicts_total: {
    type: 'counter',
    help: 'Verdicts on checks; peeks are left out. reason is none where a check is simply allowed, exempt where an exemption allowed it.',
    labels: ['project', 'namespace', 'decision', 'reason', 'degraded'],
  },
  brume_degraded_verdicts_total: {
    type: 'counter',
    help: 'Verdicts that the failure policy of the namespace gave, since the counters did not.',
    labels: ['policy', 'fault'],
  },
  brume_store_duration_seconds: {
    type: 'histogram',
    help: 'How long a check waited for the counters, until their answer or their fault.',
    labels: ['store'],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
} as const satisfies MetricDeclarations;
