import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { BrumeError } from '../../errors/catalogue.ts';
import type { Logger } from '../../telemetry/log.ts';
import { catalogued } from '../hooks/catalogued.ts';
import { closeUnlessRead, logCause, setRetryAfter } from '../hooks/error-answers.ts';
import { PROBLEM_MEDIA_TYPE, type Problem, problemOf } from '../hooks/problem.ts';
import { type DenialReason, denialProblem, denialReason } from './denial.ts';
import { addForwardAuthCall, type ForwardAuthOptions, judgeForwardAuth } from './forward-auth.ts';
import { verdictHeaders } from './verdict-headers.ts';

export const NGINX_PREFIX = '/v1/auth/nginx/';
const PATH_HEADERS = ['X-Original-URI'];

export interface NginxRoutesOptions extends ForwardAuthOptions {
  readonly log: Logger;
}

type Refusal = DenialReason | 'throttled' | 'bad_request' | 'unknown_namespace' | 'unauthorized';

/**
 * For nginx's auth_request, which takes any status but 2xx, 401 and 403 for a fault of ours and
 * gives the end user a 500: 200 or 403, with the reason in X-Brume-Reason.
 */
export const nginxRoutes = fp(addNginxRoutes, {
  name: 'brume-nginx-routes',
  dependencies: ['brume-authorisation', 'brume-body-limit'],
  encapsulate: true,
});

async function addNginxRoutes(app: FastifyInstance, options: NginxRoutesOptions): Promise<void> {
  app.setErrorHandler((fault, request, reply) => {
    const error = catalogued(fault);
    logCause(options.log, error, request);
    return refuseNginx(request, reply, error);
  });

  addForwardAuthCall(app, NGINX_PREFIX, options, answer);

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const verdict = await judgeForwardAuth(options, request, PATH_HEADERS);
    reply.headers(verdictHeaders(verdict, options.headers));
    if (verdict.success) return reply.code(200).send();
    const reason = denialReason(verdict);
    return refuse(reply, reason, denialProblem(reason, 403));
  }
}

/** An error as nginx can take it. The body is for whoever asks by hand: nginx drops it. */
export function refuseNginx(request: FastifyRequest, reply: FastifyReply, error: BrumeError): FastifyReply {
  closeUnlessRead(request, reply);
  setRetryAfter(error, reply);
  return refuse(reply, refusalOf(error), { ...problemOf(error), status: 403 });
}

function refuse(reply: FastifyReply, reason: Refusal, problem: Problem): FastifyReply {
  return reply
    .code(403)
    .header('x-brume-reason', reason)
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(problem));
}

function refusalOf({ code, status }: BrumeError): Refusal {
  if (status >= 500) return 'store_unavailable';
  switch (code) {
    case 'unauthorized':
    case 'forbidden_scope':
      return 'unauthorized';
    case 'throttled_actor':
    case 'budget_exhausted':
      return 'throttled';
    case 'unknown_namespace':
      return 'unknown_namespace';
    default:
      return 'bad_request';
  }
}
