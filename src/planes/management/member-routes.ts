import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { organisationOf } from './authorisation.ts';
import { userOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { Member, MemberParams, memberJson, OrganisationParams, Role } from './organisation-schemas.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { access, forPeople, versioned } from './route-access.ts';
import { writerOf } from './writer-of.ts';

const READ = access('organisation', 'viewer');
const REMOVE = versioned(access('organisation', 'admin', { isChange: true }));
/** A membership would outlive the token that gave it. */
const SET = forPeople(REMOVE);

/** Who belongs to an organisation, and as what. */
export const memberRoutes: FastifyPluginAsyncTypebox<
  Pick<ManagementDeps, 'organisations' | 'users'>
> = async (app, deps) => {
  const { organisations, users } = deps;

  app.get(
    '/v1/organisations/:organisation/members',
    {
      config: READ,
      schema: {
        params: OrganisationParams,
        querystring: NamedPageQuery,
        response: { 200: listOf(Member), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const members = await organisations.listMembers(organisationOf(request).id);
      const { items, next } = namedPageOf(members, request.query, ({ login }) => login);
      return { items: items.map(memberJson), next };
    },
  );

  app.put(
    '/v1/organisations/:organisation/members/:user',
    {
      config: SET,
      schema: {
        params: MemberParams,
        body: Type.Object({ role: Role }, { additionalProperties: false }),
        response: { 200: Member, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { role } = request.body;
      const organisation = organisationOf(request);
      const user = await userOr404(users, request.params.user);
      const { actor, expectedVersion } = versionedBy(request);
      const options = { writer: writerOf(request), expectedVersion };
      const member = await organisations.setMember(organisation.id, user.id, role, actor, options);
      return reply.header('etag', entityTag(member.updatedAtMs)).send(memberJson(member));
    },
  );

  app.delete(
    '/v1/organisations/:organisation/members/:user',
    {
      config: REMOVE,
      schema: { params: MemberParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const organisation = organisationOf(request);
      const user = await userOr404(users, request.params.user);
      const { actor, expectedVersion } = versionedBy(request);
      const options = { writer: writerOf(request), expectedVersion };
      await organisations.removeMember(organisation.id, user.id, actor, options);
      return reply.code(204).send(null);
    },
  );
};
