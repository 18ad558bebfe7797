import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import type { IncomingRequest } from './tracing.ts';

/** A traceparent is 55 characters; later versions may add to it. */
const LENGTH_MAX = 256;

/** The caller's span; undefined where the headers name none, or not well. */
export function incomingContext({ traceparent, tracestate }: IncomingRequest): SpanContext | undefined {
  if (traceparent === undefined || traceparent.length > LENGTH_MAX) return undefined;
  const context = parseTraceParent(traceparent);
  if (context === null) return undefined;
  return {
    ...context,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: new TraceState(tracestate) }),
  };
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}
