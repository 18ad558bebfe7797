import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { COST_MAX } from '../../limiter/limit.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { VerdictSchema } from '../hooks/verdict-schema.ts';
import { projectOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { ProjectParams } from './resource-schemas.ts';
import { CHECK } from './route-access.ts';

const CheckBody = Type.Object(
  {
    namespace: Type.String(),
    identifier: Type.String(),
    cost: Type.Optional(Type.Integer({ minimum: 0, maximum: COST_MAX })),
  },
  { additionalProperties: false },
);

/** Checks on behalf of a project, without its key: for the command line and the console. */
export const checkRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { tenancy, snapshot, limiter } = deps;

  for (const call of ['limit', 'peek'] as const) {
    app.post(
      `/v1/projects/:project/${call}`,
      {
        config: CHECK,
        schema: {
          params: ProjectParams,
          body: CheckBody,
          response: { 200: VerdictSchema, ...PROBLEM_ANSWERS },
        },
      },
      async (request) => {
        const { cost = 1 } = request.body;
        const project = await projectOr404(tenancy, request.params.project);
        const namespace = snapshot.namespace(project.id, request.body.namespace);
        if (namespace === undefined) throw new BrumeError('unknown_namespace', { field: 'namespace' });
        const identifier = canonicalIdentifier(namespace.rule, request.body.identifier);
        const verdict = await limiter.judge({ namespace, identifier, cost, peek: call === 'peek' });
        return { ...verdict, limits: [...verdict.limits], shadow: [...verdict.shadow] };
      },
    );
  }
};
