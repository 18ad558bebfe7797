import type { Logger } from '../log.ts';
import type { Tracing } from './tracing.ts';

/** What of the configuration concerns traces; a part of Config. */
export interface TracingConfig {
  /** Null: no tracing. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>> | null;
  /** Of requests that begin a trace, 0 to 1. */
  readonly traceSample: number;
}

export interface TracingParts {
  readonly clock: { monotonicMs(): number };
  readonly log: Logger;
  readonly version: string;
}

/** Undefined where no endpoint is set: then nothing of OpenTelemetry is loaded. */
export async function startTracing(config: TracingConfig, parts: TracingParts): Promise<Tracing | undefined> {
  const { otlpEndpoint: endpoint, otlpHeaders, traceSample: sampleRatio } = config;
  if (endpoint === null) return undefined;
  const { OtelTracing } = await import('./otel-tracing.ts');
  return new OtelTracing({ ...parts, endpoint, headers: otlpHeaders ?? {}, sampleRatio });
}
