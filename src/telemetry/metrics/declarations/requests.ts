import type { MetricDeclarations } from '../declaration.ts';

export const REQUESTS = {
  brume_requests_total: {
    type: 'counter',
    help: 'Answered requests by plane, route as declared and class of status (2xx). What matches no route is counted under the route unmatched.',
    labels: ['plane', 'route', 'status'],
  },
  brume_request_duration_seconds: {
    type: 'histogram',
    help: 'How long requests took, from their headers to the end of the answer.',
    labels: ['plane', 'route'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  brume_throttled_requests_total: {
    type: 'counter',
    help: 'Requests that were turned away with 429 before they were judged, by what turned them away: address, actor or budget.',
    labels: ['by'],
  },
  brume_requests_in_flight: {
    type: 'gauge',
    help: 'Requests that are being answered, by listener.',
    labels: ['listener'],
  },
  brume_connections_open: {
    type: 'gauge',
    help: 'Open connections, by listener.',
    labels: ['listener'],
  },
  brume_connections_max: {
    type: 'gauge',
    help: 'How many connections a listener holds at once (BRUME_CONNECTIONS_MAX).',
    labels: [],
  },
} as const satisfies MetricDeclarations;
