import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';

/** A span below which others are begun. */
export class OpenSpan {
  readonly context: Context;
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  /** False once it has ended: what a request has set going, such as a timer, may outlast it. */
  get isOpen(): boolean {
    return this.span.isRecording();
  }
}
