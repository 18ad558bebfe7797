import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { PROBLEM_MEDIA_TYPE } from '../hooks/problem.ts';
import { denialProblem, denialReason } from './denial.ts';
import { addForwardAuthCall, type ForwardAuthOptions, judgeForwardAuth } from './forward-auth.ts';
import { verdictHeaders } from './verdict-headers.ts';

export const FORWARD_PREFIX = '/v1/auth/forward/';
/** Traefik and Caddy set the first, HAProxy is told to set the second. */
const PATH_HEADERS = ['X-Forwarded-Uri', 'X-Original-URI'];

/**
 * For Traefik's ForwardAuth, Caddy's forward_auth, HAProxy and Envoy's ext_authz, which hand our
 * answer to the end user: 200, 429 for a denial, 503 where the namespace is closed and its store
 * gone; faults of configuration as the catalogue has them.
 */
export const forwardRoutes = fp(addForwardRoutes, {
  name: 'brume-forward-routes',
  dependencies: ['brume-authorisation', 'brume-body-limit'],
  encapsulate: true,
});

async function addForwardRoutes(app: FastifyInstance, options: ForwardAuthOptions): Promise<void> {
  addForwardAuthCall(app, FORWARD_PREFIX, options, answer);

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const verdict = await judgeForwardAuth(options, request, PATH_HEADERS);
    reply.headers(verdictHeaders(verdict, options.headers));
    if (verdict.success) return reply.code(200).send();
    const reason = denialReason(verdict);
    const status = reason === 'store_unavailable' ? 503 : 429;
    return reply
      .code(status)
      .header('x-brume-reason', reason)
      .header('content-type', PROBLEM_MEDIA_TYPE)
      .send(JSON.stringify(denialProblem(reason, status)));
  }
}
