import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { newManagementTokenSecret } from '../../tenancy/management-token-secret.ts';
import { isAtLeast, type Role as StoredRole } from '../../tenancy/role.ts';
import { actorOf, principalOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { organisationOf, roleOf } from './authorisation.ts';
import { parseRequiredExpiry } from './expiry.ts';
import { isReference } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import {
  CreatedManagementToken,
  ManagementToken,
  OrganisationParams,
  Role,
  TokenParams,
  tokenJson,
} from './organisation-schemas.ts';
import { byAge, listOf, NamedPageQuery, pageOf } from './page.ts';
import { Name } from './resource-schemas.ts';
import { access, forPeople } from './route-access.ts';

const READ = access('organisation', 'developer');
const REVOKE = access('organisation', 'developer', { isChange: true });
const MAKE = forPeople(REVOKE);

const YEAR_MS = 366 * 86_400_000;

const NewToken = Type.Object(
  {
    name: Name,
    role: Role,
    expiresAt: Type.String({ description: 'a time in ISO 8601 with its offset, within a year' }),
  },
  { additionalProperties: false },
);

/** Tokens of an organisation, with which programs manage it. */
export const tokenRoutes: FastifyPluginAsyncTypebox<Pick<ManagementDeps, 'tokens' | 'clock'>> = async (
  app,
  { tokens, clock },
) => {
  app.get(
    '/v1/organisations/:organisation/tokens',
    {
      config: READ,
      schema: {
        params: OrganisationParams,
        querystring: NamedPageQuery,
        response: { 200: listOf(ManagementToken), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const { name: beginning = '' } = request.query;
      const all = await tokens.listTokens(organisationOf(request).id);
      const named = all.filter(({ name }) => name.startsWith(beginning));
      const { items, next } = pageOf(named, request.query, byAge);
      return { items: items.map(tokenJson), next };
    },
  );

  app.post(
    '/v1/organisations/:organisation/tokens',
    {
      config: MAKE,
      schema: {
        params: OrganisationParams,
        body: NewToken,
        response: { 201: CreatedManagementToken, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { name, role } = request.body;
      const expiresAtMs = parseRequiredExpiry(request.body.expiresAt, clock.nowMs(), YEAR_MS);
      const organisation = organisationOf(request);
      requireMaker(request, role);
      const { secret, prefix, sha256 } = newManagementTokenSecret();
      const { userId: madeBy } = principalOf(request);
      const token = await tokens.createToken(
        { organisationId: organisation.id, name, role, prefix, sha256, madeBy, expiresAtMs },
        actorOf(request),
      );
      return reply
        .code(201)
        .header('location', `/v1/organisations/${organisation.name}/tokens/${token.id}`)
        .send({ ...tokenJson(token), token: secret });
    },
  );

  app.delete(
    '/v1/organisations/:organisation/tokens/:token',
    {
      config: REVOKE,
      schema: { params: TokenParams, response: { 200: ManagementToken, ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const organisation = organisationOf(request);
      const { token: id } = request.params;
      const all = isReference(id) ? await tokens.listTokens(organisation.id) : [];
      const token = all.find((one) => one.id === id);
      if (token === undefined) throw new BrumeError('unknown_token');
      requireRevoker(request, token.madeBy);
      return tokenJson(await tokens.revokeToken(organisation.id, token.id, actorOf(request)));
    },
  );
};

function requireMaker(request: FastifyRequest, role: StoredRole): void {
  const own = roleOf(request);
  if (!isAtLeast(own, role)) {
    throw new BrumeError('forbidden_role', {
      detail: `A token has at most the role of its maker; yours is ${own}.`,
    });
  }
}

/** One's own, or anybody's for an admin. */
function requireRevoker(request: FastifyRequest, madeBy: string | null): void {
  const { userId } = principalOf(request);
  if (isAtLeast(roleOf(request), 'admin') || (madeBy !== null && madeBy === userId)) return;
  throw new BrumeError('forbidden_role', { detail: "Somebody else's token needs the role admin." });
}
