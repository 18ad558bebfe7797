import type { MetricDeclarations } from '../declaration.ts';

/** The names under which ChronosDB's dashboards look; only with BRUME_METRICS_CHRONOSDB_NAMES. */
export const CHRONOSDB = {
  requests_allowed_total: {
    type: 'counter',
    help: 'Checks that were allowed, by the public id of the API key.',
    labels: ['api_key_id'],
  },
  requests_denied_total: {
    type: 'counter',
    help: 'Checks that were denied, by the public id of the API key.',
    labels: ['api_key_id'],
  },
  redis_latency_ms: {
    type: 'histogram',
    help: 'How long a check waited for Redis, in milliseconds.',
    labels: [],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000],
  },
  grpc_latency_ms: {
    type: 'histogram',
    help: 'How long calls over gRPC took, in milliseconds.',
    labels: [],
    buckets: [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
  },
} as const satisfies MetricDeclarations;
