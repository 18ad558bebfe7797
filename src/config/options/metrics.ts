import { boolean } from '../kinds/choice.ts';
import type { Options } from '../option.ts';

export const METRICS = {
  BRUME_METRICS_CHRONOSDB_NAMES: {
    description:
      "Whether the metrics are also there under ChronosDB's names (requests_allowed_total, requests_denied_total, redis_latency_ms, grpc_latency_ms), so that its dashboards go on working. The API key stands there by its public id.",
    kind: boolean(),
    default: 'false',
    example: 'true',
  },
  BRUME_TOP_IDENTIFIERS: {
    description:
      'Whether the busiest and the most denied identifiers of each namespace are watched, for the management API. They may be personal data: they are held in memory only, for at most half an hour while checks come.',
    kind: boolean(),
    default: 'true',
    example: 'false',
  },
} as const satisfies Options;
