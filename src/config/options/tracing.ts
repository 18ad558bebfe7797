import { headerList } from '../kinds/header-list.ts';
import { ratio } from '../kinds/ratio.ts';
import { webUrl } from '../kinds/web-url.ts';
import type { Options } from '../option.ts';

export const TRACING = {
  BRUME_OTLP_ENDPOINT: {
    description:
      'Where traces go: the base URL of an OpenTelemetry collector that takes OTLP over HTTP; /v1/traces is added to it. Not set: there is no tracing.',
    kind: webUrl({ mayBeClear: true }),
    default: null,
    example: 'http://127.0.0.1:4318',
  },
  BRUME_OTLP_HEADERS: {
    description:
      'Headers for the collector, as name=value separated by commas; values are percent-encoded, so that a blank is %20.',
    kind: headerList(),
    default: null,
    example: 'authorization=Bearer%20TOKEN',
    isSecret: true,
  },
  BRUME_TRACE_SAMPLE: {
    description:
      'Which part of the requests that begin a trace is recorded, from 0 to 1. A trace that a trusted proxy has begun is recorded if the proxy records it.',
    kind: ratio(),
    default: '0.01',
    example: '0.01',
  },
} as const satisfies Options;
