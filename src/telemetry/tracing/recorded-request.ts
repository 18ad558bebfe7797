import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { OpenSpan } from './open-span.ts';
import type { RequestOutcome, RequestTrace } from './tracing.ts';

/** A request that is recorded. */
export class RecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly #open: OpenSpan;
  readonly #current: AsyncLocalStorage<OpenSpan>;

  constructor(span: Span, current: AsyncLocalStorage<OpenSpan>) {
    this.#open = new OpenSpan(span);
    this.#current = current;
    this.traceId = span.spanContext().traceId;
  }

  run(work: () => void): void {
    this.#current.run(this.#open, work);
  }

  end({ name, attributes, isFault }: RequestOutcome): void {
    const { span } = this.#open;
    span.updateName(name);
    span.setAttributes(attributes);
    if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}
