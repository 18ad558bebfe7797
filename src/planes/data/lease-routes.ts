import { Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Limiter } from '../../limiter/limiter.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { askedCheck, CheckBody, withIdempotencyKey } from '../hooks/asked-check.ts';
import { callerOf } from '../hooks/authentication.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { VerdictSchema } from '../hooks/verdict-schema.ts';
import { GrantedSchema, grantedJson, NullableGranted } from './granted.ts';
import { knownNamespace } from './known-namespace.ts';
import { DECISION_TIMEOUT_MS } from './limit-routes.ts';
import { type HeaderSwitches, verdictHeaders } from './verdict-headers.ts';

export interface LeaseRoutesOptions {
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly headers: HeaderSwitches;
  readonly requestTimeoutMs: number;
}

const Acquired = Type.Object({ ...VerdictSchema.properties, lease: NullableGranted });

const LeaseParams = Type.Object({ id: Type.String() });

/** `/v1/leases`: acquire a place of a concurrency limit, renew it, release it. */
export const leaseRoutes = fp(addLeaseRoutes, {
  name: 'brume-lease-routes',
  dependencies: ['brume-authorisation', 'brume-json-body'],
  encapsulate: true,
});

async function addLeaseRoutes(app: FastifyInstance, options: LeaseRoutesOptions): Promise<void> {
  const { limiter, snapshot, headers, requestTimeoutMs } = options;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const config = {
    isPublic: false,
    scope: 'lease',
    timeoutMs: requestTimeoutMs + DECISION_TIMEOUT_MS,
  } as const;

  routes.post(
    '/v1/leases',
    { schema: { body: CheckBody, response: { 200: Acquired, ...PROBLEM_ANSWERS } }, config },
    async (request, reply) => {
      const { projectId, keyId } = callerOf(request);
      const asked = withIdempotencyKey(request.body, request.raw.rawHeaders);
      const namespace = knownNamespace(snapshot, projectId, asked.namespace);
      const { verdict, granted } = await limiter.acquire(
        askedCheck(namespace, asked, { peek: false, keyId }),
      );
      request.verdict = verdict;
      reply.headers(verdictHeaders(verdict, headers));
      return {
        ...verdict,
        limits: [...verdict.limits],
        shadow: [...verdict.shadow],
        lease: grantedJson(granted),
      };
    },
  );

  routes.put(
    '/v1/leases/:id',
    { schema: { params: LeaseParams, response: { 200: GrantedSchema, ...PROBLEM_ANSWERS } }, config },
    async (request) => grantedJson(await limiter.renew(callerOf(request).projectId, request.params.id)),
  );

  routes.delete(
    '/v1/leases/:id',
    { schema: { params: LeaseParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } }, config },
    async (request, reply) => {
      await limiter.release(callerOf(request).projectId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}
