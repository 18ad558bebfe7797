import { type Span, SpanStatusCode } from '@opentelemetry/api';

/** Ends a span; `error` is shown by its class or code alone: its text may hold what was asked. */
export function endSpan(span: Span, ...[error]: [] | [error: unknown]): void {
  if (error !== undefined) {
    span.setAttribute('error.type', errorType(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
