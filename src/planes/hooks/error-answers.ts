import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Logger } from '../../telemetry/log.ts';
import { announcesBody } from './announced-body.ts';
import { catalogued } from './catalogued.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Every error of a plane as problem+json out of the catalogue. */
export const errorAnswers = fp(
  async (app: FastifyInstance, { log }: { log: Logger }) => {
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
  closeUnlessRead(request, reply);
  reply.header('x-request-id', request.id);
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="brume"');
  return reply
    .code(error.status)
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(problemOf(error)));
}

/** A body that nobody will read must not be taken for the next request. */
export function closeUnlessRead({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && announcesBody(raw.headers)) reply.header('connection', 'close');
}
