import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { iso, NamespaceParams, ProjectParams } from './resource-schemas.ts';
import { CHECK, READ } from './route-access.ts';

const Lease = Type.Object({
  id: Type.String(),
  expiresAt: Type.String({ description: 'ISO 8601, UTC; by the clock of the counters' }),
});

/** Who holds the places of an identifier, and taking one back from a holder that is stuck. */
export const leaseRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { policy, limiter } = deps;

  app.get(
    '/v1/projects/:project/namespaces/:namespace/leases',
    {
      config: READ,
      schema: {
        params: NamespaceParams,
        querystring: Type.Object({ identifier: Type.String() }, { additionalProperties: false }),
        response: { 200: Type.Object({ items: Type.Array(Lease) }), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const project = projectOf(request);
      const namespace = await namespaceOr404(policy, project, request.params.namespace);
      const identifier = canonicalIdentifier(namespace.rule, request.query.identifier);
      const leases = await limiter.leases(namespace, identifier);
      return { items: leases.map(({ id, expiresAtMs }) => ({ id, expiresAt: iso(expiresAtMs) })) };
    },
  );

  app.delete(
    '/v1/projects/:project/leases/:lease',
    {
      config: CHECK,
      schema: {
        params: Type.Object({ ...ProjectParams.properties, lease: Type.String() }),
        response: { 204: Type.Null(), ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      await limiter.release(project.id, request.params.lease);
      return reply.code(204).send(null);
    },
  );
};
