import { createServer, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listening } from './listening-server.ts';

/** A span as it arrived. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Trace ids. */
  readonly links: readonly string[];
  readonly isFault: boolean;
}

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: readonly { readonly traceId: string }[];
  readonly status: { readonly code: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** What an OpenTelemetry collector is to those who send: an HTTP server that takes OTLP as JSON. */
export class OtlpCollector {
  readonly spans: SentSpan[] = [];
  /** Everything as it arrived. */
  text = '';
  resource: Readonly<Record<string, unknown>> = {};
  headers: IncomingHttpHeaders = {};
  path = '';
  /** What it answers; undefined: it never does. */
  status: number | undefined = 200;
  url = '';

  take(request: OtlpRequest): void {
    this.text += JSON.stringify(request);
    for (const { resource, scopeSpans } of request.resourceSpans) {
      this.resource = plain(resource.attributes);
      this.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(sentSpan)));
    }
  }

  /** The one span of that name. */
  sole(name: string): SentSpan {
    const [span, ...more] = this.spans.filter((candidate) => candidate.name === name);
    if (span === undefined || more.length > 0) {
      throw new Error(`${more.length + (span ? 1 : 0)} spans ${name} of: ${this.spans.map((s) => s.name)}`);
    }
    return span;
  }
}

export async function startCollector(t: TestContext): Promise<OtlpCollector> {
  const collector = new OtlpCollector();
  const server = createServer(async (request, answer) => {
    collector.path = request.url ?? '';
    collector.headers = request.headers;
    const sent = (await json(request)) as OtlpRequest;
    if (collector.status === undefined) return;
    if (collector.status === 200) collector.take(sent);
    answer.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
  });
  collector.url = `http://127.0.0.1:${await listening(t, server)}`;
  return collector;
}

function sentSpan({ traceId, spanId, parentSpanId, name, attributes, links, status }: OtlpSpan): SentSpan {
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId || undefined,
    name,
    attributes: plain(attributes),
    links: (links ?? []).map((link) => link.traceId),
    isFault: status.code === 2,
  };
}

function plain(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  );
}
