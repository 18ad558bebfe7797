import { randomUUID } from 'node:crypto';
import type { FastifyInstance, RawRequestDefaultExpression } from 'fastify';
import fp from 'fastify-plugin';
import { headerLines, type RawHeaders } from './header-lines.ts';
import type { Peer } from './peer.ts';

const WELL_FORMED = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** What a log line is found by: a trusted proxy's `X-Request-Id` if it is well-formed, else our own. */
export function requestIdOf(headers: RawHeaders, peer: Peer): string {
  if (peer.isTrusted) {
    const [given, ...more] = headerLines(headers, 'x-request-id');
    if (given !== undefined && more.length === 0 && WELL_FORMED.test(given)) return given;
  }
  return randomUUID();
}

/** Puts it on `request.id` and into the answer. */
export const requestId = fp(
  async (
    app: FastifyInstance,
    { peerOf }: { peerOf: (socket: RawRequestDefaultExpression['socket']) => Peer },
  ) => {
    app.setGenReqId((raw) => requestIdOf(raw.rawHeaders, peerOf(raw.socket)));
    app.addHook('onRequest', function setRequestId(request, reply, done) {
      reply.header('x-request-id', request.id);
      done();
    });
  },
  { name: 'brume-request-id' },
);
