import { boolean } from '../kinds/choice.ts';
import { integer } from '../kinds/integer.ts';
import type { Options } from '../option.ts';

export const REQUESTS = {
  BRUME_BODY_MAX_BYTES: {
    description: 'The largest body that a request may have; a larger one is answered with 413.',
    kind: integer({ unit: 'bytes', minimum: 1024, maximum: 16_777_216 }),
    default: '65536',
    example: '65536',
  },
  BRUME_BATCH_BODY_MAX_BYTES: {
    description: 'The same for POST /v1/limit/batch, which carries up to 1,000 checks.',
    kind: integer({ unit: 'bytes', minimum: 1024, maximum: 16_777_216 }),
    default: '1048576',
    example: '1048576',
  },
  BRUME_HEADERS_MAX_BYTES: {
    description: 'The most that the headers of a request may take together; more is answered with 431.',
    kind: integer({ unit: 'bytes', minimum: 1024, maximum: 1_048_576 }),
    default: '16384',
    example: '16384',
  },
  BRUME_HEADER_TIMEOUT_MS: {
    description:
      'Within which time the headers of a request must have arrived; at most the time-out of the request.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 600_000 }),
    default: '5000',
    example: '5000',
  },
  BRUME_REQUEST_TIMEOUT_MS: {
    description: 'Within which time a whole request must have arrived; a later one is answered with 408.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 600_000 }),
    default: '10000',
    example: '10000',
  },
  BRUME_KEEP_ALIVE_MS: {
    description:
      "How long an idle connection stays open. Longer than the proxy's own keep-alive (60 s in nginx), or requests fail now and then.",
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 3_600_000 }),
    default: '75000',
    example: '75000',
  },
  BRUME_CONNECTIONS_MAX: {
    description: 'How many connections a listener holds at once; more are closed.',
    kind: integer({ unit: 'connections', minimum: 1, maximum: 1_000_000 }),
    default: '10000',
    example: '10000',
  },
  BRUME_DRAIN_MS: {
    description:
      'How long a stopping Brume waits for the requests that it is answering. With 0 it does not wait.',
    kind: integer({ unit: 'milliseconds', minimum: 0, maximum: 600_000 }),
    default: '30000',
    example: '30000',
  },
} as const satisfies Options;

export const HEADERS = {
  BRUME_HEADERS_X_RATELIMIT: {
    description: 'Whether answers carry X-RateLimit-Limit, -Remaining and -Reset (Unix seconds).',
    kind: boolean(),
    default: 'true',
    example: 'true',
  },
  BRUME_HEADERS_RATELIMIT: {
    description:
      'Whether answers carry RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers).',
    kind: boolean(),
    default: 'true',
    example: 'true',
  },
  BRUME_HEADERS_RETRY_AFTER: {
    description: 'Whether denials carry Retry-After.',
    kind: boolean(),
    default: 'true',
    example: 'true',
  },
} as const satisfies Options;
