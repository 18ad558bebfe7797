import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import type { Project as StoredProject } from '../../tenancy/project.ts';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { actorOf, principalOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { organisationOf, projectOf } from './authorisation.ts';
import { isReference } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { listOf, namedPageOf, pageQueryWith } from './page.ts';
import { Name, Project, ProjectParams, projectJson } from './resource-schemas.ts';
import { CHANGE_PROJECT, CREATE_PROJECT, READ, READ_OWN, versioned } from './route-access.ts';

const ProjectQuery = pageQueryWith({
  name: Type.Optional(Type.String({ maxLength: 256, description: 'the beginning of a name' })),
  organisation: Type.Optional(Type.String({ maxLength: 64, description: 'an organisation, by name or id' })),
});

const NewProject = Type.Object(
  {
    name: Name,
    organisation: Type.Optional(
      Type.String({ maxLength: 64, description: 'an organisation, by name or id; `default` when absent' }),
    ),
  },
  { additionalProperties: false },
);

export const projectRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { tenancy, organisations } = deps;

  app.get(
    '/v1/projects',
    {
      config: READ_OWN,
      schema: { querystring: ProjectQuery, response: { 200: listOf(Project), ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const mine = await principalOf(request).organisations();
      const projects = await projectsOf(request.query.organisation);
      const seen = projects.filter(({ organisationId }) => mine === 'all' || mine.has(organisationId));
      const { items, next } = namedPageOf(seen, request.query, ({ name }) => name);
      return { items: items.map(projectJson), next };
    },
  );

  app.post(
    '/v1/projects',
    {
      config: CREATE_PROJECT,
      schema: {
        body: NewProject,
        response: { 201: Project, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      const organisationId = organisationOf(request).id;
      const project = await tenancy.createProject({ name, organisationId }, actorOf(request));
      return reply
        .code(201)
        .headers({ location: `/v1/projects/${project.name}`, etag: entityTag(project.version) })
        .send(projectJson(project));
    },
  );

  app.get(
    '/v1/projects/:project',
    {
      config: READ,
      schema: { params: ProjectParams, response: { 200: Project, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      return reply.header('etag', entityTag(project.version)).send(projectJson(project));
    },
  );

  app.delete(
    '/v1/projects/:project',
    {
      config: versioned(CHANGE_PROJECT),
      schema: { params: ProjectParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      await tenancy.deleteProject(project.id, versionedBy(request));
      return reply.code(204).send(null);
    },
  );

  /** What is not there has no projects, as what is not the caller's has none to see. */
  async function projectsOf(idOrName: string | undefined): Promise<StoredProject[]> {
    if (idOrName === undefined) return tenancy.listProjects();
    const organisation = isReference(idOrName) ? await organisations.findOrganisation(idOrName) : undefined;
    return organisation === undefined ? [] : tenancy.listProjects({ organisationId: organisation.id });
  }
};
