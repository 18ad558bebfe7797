import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { isAtLeast, type Role as StoredRole } from '../../tenancy/role.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { organisationOf, roleOf } from './authorisation.ts';
import { userOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { Member, MemberParams, memberJson, OrganisationParams, Role } from './organisation-schemas.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { access } from './route-access.ts';

const READ = access('organisation', 'viewer');
const CHANGE = access('organisation', 'admin', { isChange: true });

/** Who belongs to an organisation, and as what. */
export const memberRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
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
    async (request) => {
      const { role } = request.body;
      const organisation = organisationOf(request);
      const user = await userOr404(users, request.params.user);
      requireNoLess(request, role);
      requireNoLess(request, await organisations.roleOf(organisation.id, user.id));
      return memberJson(await organisations.setMember(organisation.id, user.id, role, actorOf(request)));
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
      requireNoLess(request, await organisations.roleOf(organisation.id, user.id));
      await organisations.removeMember(organisation.id, user.id, actorOf(request));
      return reply.code(204).send(null);
    },
  );
};

/** Nobody gives or takes a role that is above their own. */
function requireNoLess(request: FastifyRequest, role: StoredRole | undefined): void {
  const own = roleOf(request);
  if (role === undefined || isAtLeast(own, role)) return;
  throw new BrumeError('forbidden_role', {
    detail: `Who has the role ${role}, only somebody with that role can change; yours is ${own}.`,
  });
}
