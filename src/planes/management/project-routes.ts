import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import { actorOf, principalOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import type { ManagementDeps } from './management-deps.ts';
import { Name, Project, ProjectParams, projectJson } from './resource-schemas.ts';
import { CHANGE_PROJECT, CREATE_PROJECT, READ, READ_OWN } from './route-access.ts';

export const projectRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { tenancy } = deps;

  app.get(
    '/v1/projects',
    {
      config: READ_OWN,
      schema: { response: { 200: Type.Object({ items: Type.Array(Project) }), ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const mine = await principalOf(request).organisations();
      const projects = await tenancy.listProjects();
      const seen = projects.filter(({ organisationId }) => mine === 'all' || mine.has(organisationId));
      return { items: seen.map(projectJson) };
    },
  );

  app.post(
    '/v1/projects',
    {
      config: CREATE_PROJECT,
      schema: {
        body: Type.Object({ name: Name }, { additionalProperties: false }),
        response: { 201: Project, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const project = await tenancy.createProject({ name: request.body.name }, actorOf(request));
      return reply.code(201).header('location', `/v1/projects/${project.name}`).send(projectJson(project));
    },
  );

  app.get(
    '/v1/projects/:project',
    {
      config: READ,
      schema: { params: ProjectParams, response: { 200: Project, ...PROBLEM_ANSWERS } },
    },
    async (request) => projectJson(projectOf(request)),
  );

  app.delete(
    '/v1/projects/:project',
    {
      config: CHANGE_PROJECT,
      schema: { params: ProjectParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      await tenancy.deleteProject(project.id, { actor: actorOf(request) });
      return reply.code(204).send(null);
    },
  );
};
