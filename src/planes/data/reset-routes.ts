import { Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Limiter } from '../../limiter/limiter.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { callerOf } from '../hooks/authentication.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { knownNamespace } from './known-namespace.ts';
import { DECISION_TIMEOUT_MS } from './limit-routes.ts';

export interface ResetRoutesOptions {
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly requestTimeoutMs: number;
}

const ResetBody = Type.Object(
  { namespace: Type.String(), identifier: Type.String() },
  { additionalProperties: false },
);

/** `POST /v1/reset` forgets what an identifier used in a namespace. */
export const resetRoutes = fp(addResetRoutes, {
  name: 'brume-reset-routes',
  dependencies: ['brume-authorisation', 'brume-json-body'],
  encapsulate: true,
});

async function addResetRoutes(app: FastifyInstance, options: ResetRoutesOptions): Promise<void> {
  const { limiter, snapshot, requestTimeoutMs } = options;
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/v1/reset',
    {
      schema: { body: ResetBody, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
      config: { isPublic: false, scope: 'reset', timeoutMs: requestTimeoutMs + DECISION_TIMEOUT_MS },
    },
    async (request, reply) => {
      const { projectId } = callerOf(request);
      const namespace = knownNamespace(snapshot, projectId, request.body.namespace);
      await limiter.reset(namespace, canonicalIdentifier(namespace.rule, request.body.identifier));
      return reply.code(204).send(null);
    },
  );
}
