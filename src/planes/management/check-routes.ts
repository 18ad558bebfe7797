import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import type { Namespace } from '../../policy/namespace.ts';
import type { Project } from '../../tenancy/project.ts';
import { askedCheck, CheckBody } from '../hooks/asked-check.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { VerdictSchema } from '../hooks/verdict-schema.ts';
import { projectOf } from './authorisation.ts';
import type { ManagementDeps } from './management-deps.ts';
import { ProjectParams } from './resource-schemas.ts';
import { CHECK } from './route-access.ts';

const ResetBody = Type.Object(
  { namespace: Type.String(), identifier: Type.String() },
  { additionalProperties: false },
);

/** Checks and resets on behalf of a project, without its key: for the command line and the console. */
export const checkRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { snapshot, limiter } = deps;

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
        const namespace = namespaceOr404(projectOf(request), request.body.namespace);
        const verdict = await limiter.judge(askedCheck(namespace, request.body, { peek: call === 'peek' }));
        return { ...verdict, limits: [...verdict.limits], shadow: [...verdict.shadow] };
      },
    );
  }

  app.post(
    '/v1/projects/:project/reset',
    {
      config: CHECK,
      schema: { params: ProjectParams, body: ResetBody, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const namespace = namespaceOr404(projectOf(request), request.body.namespace);
      await limiter.reset(namespace, canonicalIdentifier(namespace.rule, request.body.identifier));
      return reply.code(204).send(null);
    },
  );

  function namespaceOr404({ id }: Project, name: string): Namespace {
    const namespace = snapshot.namespace(id, name);
    if (namespace === undefined) throw new BrumeError('unknown_namespace', { field: 'namespace' });
    return namespace;
  }
};
