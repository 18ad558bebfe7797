import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { acceptRule } from '../../policy/rule-input.ts';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { Name, Namespace, NamespaceParams, namespaceJson, ProjectParams } from './resource-schemas.ts';
import { CHANGE, READ, versioned } from './route-access.ts';

/** A rule arrives as any JSON: policy/rule-input.ts judges it, and names the member at fault. */
const RuleInput = Type.Unknown({ description: 'A rule: kind, identifyBy, onStoreFailure, limits' });

export const namespaceRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { policy } = deps;

  app.get(
    '/v1/projects/:project/namespaces',
    {
      config: READ,
      schema: {
        params: ProjectParams,
        querystring: NamedPageQuery,
        response: { 200: listOf(Namespace), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const project = projectOf(request);
      const all = await policy.listNamespaces(project.id);
      const { items, next } = namedPageOf(all, request.query, ({ name }) => name);
      return { items: items.map(namespaceJson), next };
    },
  );

  app.post(
    '/v1/projects/:project/namespaces',
    {
      config: CHANGE,
      schema: {
        params: ProjectParams,
        body: Type.Object({ name: Name, rule: RuleInput }, { additionalProperties: false }),
        response: { 201: Namespace, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const rule = acceptRule(request.body.rule);
      const project = projectOf(request);
      const namespace = await policy.createNamespace(project.id, request.body.name, rule, actorOf(request));
      return reply
        .code(201)
        .headers({
          location: `/v1/projects/${project.name}/namespaces/${namespace.name}`,
          etag: entityTag(namespace.version),
        })
        .send(namespaceJson(namespace));
    },
  );

  app.get(
    '/v1/projects/:project/namespaces/:namespace',
    {
      config: READ,
      schema: { params: NamespaceParams, response: { 200: Namespace, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const namespace = await namespaceOr404(policy, projectOf(request), request.params.namespace);
      return reply.header('etag', entityTag(namespace.version)).send(namespaceJson(namespace));
    },
  );

  app.put(
    '/v1/projects/:project/namespaces/:namespace',
    {
      config: versioned(CHANGE),
      schema: {
        params: NamespaceParams,
        body: Type.Object({ rule: RuleInput }, { additionalProperties: false }),
        response: { 200: Namespace, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const rule = acceptRule(request.body.rule);
      const project = projectOf(request);
      const { name } = await namespaceOr404(policy, project, request.params.namespace);
      const namespace = await policy.updateNamespace(project.id, name, rule, versionedBy(request));
      return reply.header('etag', entityTag(namespace.version)).send(namespaceJson(namespace));
    },
  );

  app.delete(
    '/v1/projects/:project/namespaces/:namespace',
    {
      config: versioned(CHANGE),
      schema: { params: NamespaceParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { name } = await namespaceOr404(policy, project, request.params.namespace);
      await policy.deleteNamespace(project.id, name, versionedBy(request));
      return reply.code(204).send(null);
    },
  );
};
