import type { FastifyInstance, FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import fp from 'fastify-plugin';
import type { RequestTrace, SpanAttributes, Tracing } from '../../telemetry/tracing/tracing.ts';
import type { Peer } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent where nothing is traced; null where this request belongs to no trace. */
    trace?: RequestTrace | null;
  }
}

export interface TraceOptions {
  readonly tracing: Tracing;
  readonly plane: string;
  readonly peerOf: (socket: RawRequestDefaultExpression['socket']) => Peer;
}

/**
 * One span for a request that is recorded. A trace is continued if the peer is trusted; anybody else's
 * `traceparent` is at most a link from a trace of our own, and has no say in what is recorded.
 */
export const requestTrace = fp(
  async (app: FastifyInstance, { tracing, plane, peerOf }: TraceOptions) => {
    app.decorateRequest('trace', null);
    app.addHook('onRequest', function startTrace(request, _reply, done) {
      const { headers, socket } = request.raw;
      const trace = tracing.startRequest({
        method: request.method,
        traceparent: soleLine(headers.traceparent),
        tracestate: soleLine(headers.tracestate),
        isTrusted: headers.traceparent !== undefined && peerOf(socket).isTrusted,
      });
      if (trace === undefined) return done();
      request.trace = trace;
      trace.run(done);
    });
    // The body comes in a context of the connection's own.
    app.addHook('preValidation', function resumeTrace({ trace }, _reply, done) {
      if (trace) trace.run(done);
      else done();
    });
    app.addHook('onResponse', function endTrace(request, reply, done) {
      request.trace?.end(outcomeOf(request, reply.statusCode, plane));
      done();
    });
  },
  { name: 'brume-trace' },
);

/** Node joins the lines of a header that it doesn't know; a list is no sole line. */
function soleLine(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function outcomeOf(request: FastifyRequest, status: number, plane: string) {
  const route = request.is404 ? undefined : request.routeOptions.url;
  return {
    name: route === undefined ? request.method : `${request.method} ${route}`,
    attributes: {
      'brume.plane': plane,
      'http.response.status_code': status,
      ...(route !== undefined && { 'http.route': route }),
      ...verdictAttributes(request),
    },
    isFault: status >= 500,
  };
}

function verdictAttributes({ verdict, verdicts }: FastifyRequest): SpanAttributes {
  if (verdict) {
    return {
      'brume.namespace': verdict.namespace,
      'brume.decision': verdict.success ? 'allowed' : 'denied',
      'brume.degraded': verdict.degraded,
      ...(verdict.reason !== null && { 'brume.reason': verdict.reason }),
    };
  }
  if (!verdicts) return {};
  return {
    'brume.checks': verdicts.length,
    'brume.checks_denied': verdicts.filter(({ success }) => !success).length,
    'brume.degraded': verdicts.some(({ degraded }) => degraded),
  };
}
