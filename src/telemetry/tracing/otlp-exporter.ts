import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** How long the collector may take for one batch. */
const EXPORT_TIMEOUT_MS = 5000;
const TRACES_PATH = '/v1/traces';

export interface OtlpExporterOptions {
  /** With or without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends spans by OTLP over HTTP, as JSON. The SDK's own exporter reads `OTEL_*` variables behind our
 * configuration's back, and can't be interrupted: a collector that hangs would hold up the end of the
 * process. A batch that was not taken is not sent again.
 */
export class OtlpExporter implements SpanExporter {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor({ endpoint, headers }: OtlpExporterOptions) {
    this.#url = tracesUrl(endpoint);
    this.#headers = { ...headers, 'content-type': 'application/json' };
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const sent = this.#send(spans).then(
      () => done({ code: ExportResultCode.SUCCESS }),
      (error: unknown) => done({ code: ExportResultCode.FAILED, error: asError(error) }),
    );
    this.#running.add(sent);
    void sent.finally(() => this.#running.delete(sent));
  }

  /** Gives up what is being sent. */
  abort(): void {
    this.#stop.abort(new Error('Brume ended before the collector answered'));
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#running);
  }

  shutdown(): Promise<void> {
    return this.forceFlush();
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const body = JsonTraceSerializer.serializeRequest(spans);
    if (body === undefined) throw new Error('the spans could not be written as OTLP');
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: Buffer.from(body),
      redirect: 'error',
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(EXPORT_TIMEOUT_MS)]),
    });
    // Its text is of no use to us, and may be long.
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered with status ${response.status}`);
  }
}

/** As OpenTelemetry has it: the endpoint is the collector's address, to which each signal adds its path. */
function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith(TRACES_PATH) ? base : base + TRACES_PATH;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
