import type { FastifyInstance, FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import fp from 'fastify-plugin';
import type { Verdict } from '../../limiter/verdict.ts';
import type { AccessEntry, AccessLog } from '../../telemetry/access-log.ts';
import type { Peer } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What was decided, once it was; null on routes that decide nothing. */
    verdict: Verdict | null;
  }
}

export interface AccessLogOptions {
  readonly accessLog: AccessLog;
  readonly showIdentifiers: boolean;
  readonly peerOf: (socket: RawRequestDefaultExpression['socket']) => Peer;
}

/** One line for an answered request, if it is to have one. */
export const accessLog = fp(
  async (app: FastifyInstance, { accessLog: log, showIdentifiers, peerOf }: AccessLogOptions) => {
    app.decorateRequest('verdict', null);
    app.addHook('onResponse', function logAccess(request, reply, done) {
      const status = reply.statusCode;
      const isDenied = status >= 400 || request.verdict?.success === false;
      if (log.wants({ status, isDenied })) {
        log.write({
          ...entryOf(request, status, reply.elapsedTime),
          ...(showIdentifiers && personalData(request, peerOf(request.raw.socket))),
        });
      }
      done();
    });
  },
  { name: 'brume-access-log' },
);

function entryOf(request: FastifyRequest, status: number, elapsedMs: number): AccessEntry {
  const { verdict, caller, trace } = request;
  return {
    requestId: request.id,
    ...(trace && { traceId: trace.traceId }),
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    status,
    durationMs: Math.round(elapsedMs * 1000) / 1000,
    ...(caller && { project: caller.projectId, key: caller.keyId }),
    ...(verdict && { namespace: verdict.namespace, success: verdict.success, degraded: verdict.degraded }),
    ...(verdict?.reason != null && { reason: verdict.reason }),
  };
}

function personalData({ verdict }: FastifyRequest, peer: Peer): Pick<AccessEntry, 'identifier' | 'peer'> {
  return {
    ...(verdict && { identifier: verdict.identifier }),
    ...(peer.address !== undefined && { peer: peer.address }),
  };
}
