import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Limiter } from '../../limiter/limiter.ts';
import type { Verdict } from '../../limiter/verdict.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { askedCheck, CheckBody, withIdempotencyKey } from '../hooks/asked-check.ts';
import { callerOf } from '../hooks/authentication.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { VerdictSchema } from '../hooks/verdict-schema.ts';
import { knownNamespace } from './known-namespace.ts';
import { type HeaderSwitches, verdictHeaders } from './verdict-headers.ts';

export interface LimitRoutesOptions {
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly headers: HeaderSwitches;
  /** Within which the body must have arrived. */
  readonly requestTimeoutMs: number;
}

const SCHEMA = { body: CheckBody, response: { 200: VerdictSchema, ...PROBLEM_ANSWERS } };

/** Beyond the time in which the body may come: no store takes this long. */
export const DECISION_TIMEOUT_MS = 5000;

/** `POST /v1/limit` checks and consumes; `POST /v1/peek` gives the same verdict and consumes nothing. */
export const limitRoutes = fp(addLimitRoutes, {
  name: 'brume-limit-routes',
  dependencies: ['brume-authorisation', 'brume-json-body'],
  encapsulate: true,
});

async function addLimitRoutes(app: FastifyInstance, options: LimitRoutesOptions): Promise<void> {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const timeoutMs = options.requestTimeoutMs + DECISION_TIMEOUT_MS;

  routes.post(
    '/v1/limit',
    { schema: SCHEMA, config: { isPublic: false, scope: 'limit', timeoutMs } },
    (request, reply) => verdictOf(options, request, reply, { body: request.body, peek: false }),
  );

  routes.post(
    '/v1/peek',
    { schema: SCHEMA, config: { isPublic: false, scope: 'peek', timeoutMs } },
    (request, reply) => verdictOf(options, request, reply, { body: request.body, peek: true }),
  );
}

async function verdictOf(
  { limiter, snapshot, headers }: LimitRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { body, peek }: { body: CheckBody; peek: boolean },
): Promise<Verdict> {
  const { projectId, keyId } = callerOf(request);
  const asked = withIdempotencyKey(body, request.raw.rawHeaders);
  const namespace = knownNamespace(snapshot, projectId, asked.namespace);
  const verdict = await limiter.judge(askedCheck(namespace, asked, { peek, keyId }));
  request.verdict = verdict;
  reply.headers(verdictHeaders(verdict, headers));
  return verdict;
}
