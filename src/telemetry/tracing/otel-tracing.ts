import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log.ts';
import { AskedTraces } from './asked-traces.ts';
import { logExportFaults } from './export-log.ts';
import { incomingContext, isSampled } from './incoming-context.ts';
import { OpenSpan } from './open-span.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { RecordedRequest } from './recorded-request.ts';
import { endSpan } from './span-end.ts';
import type { IncomingRequest, RequestTrace, SpanAttributes, Tracing } from './tracing.ts';

/** Spans that wait to be sent; what comes beyond is dropped. */
const QUEUE_MAX = 2048;
const BATCH_MAX = 512;
/** How long a span waits for others to be sent with. */
const DELAY_MS = 2000;
/** Behind the exporter's own time-out. */
const EXPORT_TIMEOUT_MS = 10_000;

export interface OtelTracingOptions {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 0 to 1. */
  readonly sampleRatio: number;
  readonly version: string;
  readonly log: Logger;
  readonly clock: { monotonicMs(): number };
  /** Numbers from 0 up to 1. */
  readonly random?: () => number;
}

/**
 * Traces by OpenTelemetry. Which request is recorded is decided before anything is made for it: the
 * others cost a look at two headers and a random number.
 */
export class OtelTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #provider: TracerProvider;
  readonly #exporter: OtlpExporter;
  readonly #current = new AsyncLocalStorage<OpenSpan>();
  readonly #asked: AskedTraces;
  readonly #sampleRatio: number;
  readonly #random: () => number;
  readonly #onFault: (error: unknown) => void;

  constructor(options: OtelTracingOptions) {
    const { version, log, clock, sampleRatio, random = Math.random } = options;
    this.#onFault = logExportFaults(log, clock);
    this.#exporter = new OtlpExporter(options);
    this.#asked = new AskedTraces(clock);
    this.#sampleRatio = sampleRatio;
    this.#random = random;
    const processor = new BatchSpanProcessor({
      exporter: this.#exporter,
      maxQueueSize: QUEUE_MAX,
      maxExportBatchSize: BATCH_MAX,
      scheduledDelayMillis: DELAY_MS,
      exportTimeoutMillis: EXPORT_TIMEOUT_MS,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'brume', 'service.version': version }),
      // It is decided before a span is begun.
      sampler: new AlwaysOnSampler(),
      spanProcessors: [processor],
    });
    this.#tracer = this.#provider.getTracer('brume', version);
  }

  startRequest(request: IncomingRequest): RequestTrace | undefined {
    const caller = incomingContext(request);
    if (caller === undefined || !request.isTrusted) {
      return this.#random() < this.#sampleRatio ? this.#begin(request, ROOT_CONTEXT, caller) : undefined;
    }
    if (isSampled(caller) && this.#asked.take()) {
      return this.#begin(request, trace.setSpanContext(ROOT_CONTEXT, caller), undefined);
    }
    return { traceId: caller.traceId, run: (work) => work(), end: () => undefined };
  }

  #begin({ method }: IncomingRequest, parent: Context, linked: SpanContext | undefined): RequestTrace {
    const links = linked === undefined ? [] : [{ context: linked }];
    const attributes = { 'http.request.method': method };
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, links }, parent);
    return new RecordedRequest(span, this.#current);
  }

  within<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore();
    return parent?.isOpen === true ? this.#below(parent, name, attributes, work) : work();
  }

  async #below<T>(
    parent: OpenSpan,
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ): Promise<T> {
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent.context);
    try {
      const result = await this.#current.run(new OpenSpan(span), work);
      endSpan(span);
      return result;
    } catch (error) {
      endSpan(span, error);
      throw error;
    }
  }

  async close(timeoutMs: number): Promise<void> {
    const giveUp = setTimeout(() => this.#exporter.abort(), timeoutMs);
    try {
      await this.#provider.shutdown();
    } catch (error) {
      this.#onFault(error);
    } finally {
      clearTimeout(giveUp);
    }
  }
}
