import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { MemberWriter } from '../../tenancy/member-rules.ts';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { principalOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { organisationOf } from './authorisation.ts';
import { userOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { Member, MemberParams, memberJson, OrganisationParams, Role } from './organisation-schemas.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { access, versioned } from './route-access.ts';

const READ = access('organisation', 'viewer');
const CHANGE = versioned(access('organisation', 'admin', { isChange: true }));

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
      config: CHANGE,
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
      config: CHANGE,
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

/** Whose role the change itself asks for; undefined: the machine's administrator, who may do everything. */
function writerOf(request: FastifyRequest): MemberWriter | undefined {
  const { isLocal, userId, tokenId } = principalOf(request);
  return isLocal ? undefined : { userId, tokenId };
}
