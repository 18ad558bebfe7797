import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Logger } from '../../telemetry/log.ts';
import { announcesBody } from './announced-body.ts';
import { catalogued } from './catalogued.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes why an answer broke off that had begun: nobody can be told any more. */
    logBroken: (request: FastifyRequest, error: unknown) => void;
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Every error of a plane as problem+json out of the catalogue. */
export const errorAnswers = fp(
  async (app: FastifyInstance, { log }: { log: Logger }) => {
    app.decorate('logBroken', (request: FastifyRequest, error: unknown) =>
      log.warn({ requestId: request.id, err: error }, 'an answer broke off: the rest could not be read'),
    );

    app.setErrorHandler((fault, request, reply) => {
      const error = catalogued(fault);
      logCause(log, error, request);
      return sendProblem(request, reply, error);
    });

    app.setNotFoundHandler((request, reply) => {
      const path = request.url.split('?', 1)[0] ?? '/';
      const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
      if (allowed.length === 0) throw new BrumeError('unknown_route');
      reply.header('allow', allowed.join(', '));
      throw new BrumeError('method_not_allowed');
    });
  },
  { name: 'brume-error-answers' },
);

/** Writes what the answer keeps to itself, once: this is the edge. */
export function logCause(log: Logger, error: BrumeError, request: FastifyRequest): void {
  if (error.code === 'internal') log.error({ requestId: request.id, err: error.cause }, 'unforeseen fault');
  else if (error.status >= 500) log.debug({ requestId: request.id, err: error }, 'request refused');
}

/** With the request id also where the fault came before the hook that sets it. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: BrumeError): FastifyReply {
  closeAfter(error, request, reply);
  reply.header('x-request-id', request.id);
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="brume"');
  setRetryAfter(error, reply);
  return reply
    .code(error.status)
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(problemOf(error)));
}

export function setRetryAfter({ retryAfterS }: BrumeError, reply: FastifyReply): void {
  if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
}

/**
 * Who is told to come back later keeps the connection, or a flood would cost a new one for each
 * refusal: a short body is passed over by Node as what it is.
 */
function closeAfter({ status }: BrumeError, request: FastifyRequest, reply: FastifyReply): void {
  if (status !== 429 || !hasShortBody(request)) closeUnlessRead(request, reply);
}

const SHORT_BODY_BYTES_MAX = 65_536;

/** One that surely comes, and soon ends: nobody waits with it for an invitation. */
function hasShortBody({ raw: { headers } }: FastifyRequest): boolean {
  const isPlain = headers['transfer-encoding'] === undefined && headers.expect === undefined;
  return isPlain && Number(headers['content-length'] ?? 0) <= SHORT_BODY_BYTES_MAX;
}

/** A body that nobody will read must not be taken for the next request. */
export function closeUnlessRead({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && announcesBody(raw.headers)) reply.header('connection', 'close');
}
