import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { badMember } from '../../policy/schema-fault.ts';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { actorOf, principalOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { organisationOf, roleOf } from './authorisation.ts';
import { userOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import {
  NewOrganisation,
  Organisation,
  OrganisationParams,
  organisationJson,
  RenamedOrganisation,
} from './organisation-schemas.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { access, forPeople, READ_OWN, versioned } from './route-access.ts';

/** Whoever comes to own it by a token would own it after the token's end. */
const CREATE = forPeople(access('installation', 'admin', { isChange: true }));
const READ = access('organisation', 'viewer');
const CHANGE = access('organisation', 'owner', { isChange: true });

/** Organisations: whoever asks sees those of their own. */
export const organisationRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (
  app,
  { organisations, users },
) => {
  app.get(
    '/v1/organisations',
    {
      config: READ_OWN,
      schema: { querystring: NamedPageQuery, response: { 200: listOf(Organisation), ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const mine = await principalOf(request).organisations();
      const all = await organisations.listOrganisations();
      const seen = all.filter(({ id }) => mine === 'all' || mine.has(id));
      const { items, next } = namedPageOf(seen, request.query, ({ name }) => name);
      return { items: items.map(organisationJson), next };
    },
  );

  app.post(
    '/v1/organisations',
    {
      config: CREATE,
      schema: { body: NewOrganisation, response: { 201: Organisation, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const { name } = request.body;
      const ownerId = await ownerOf(request, request.body.owner);
      const organisation = await organisations.createOrganisation(name, actorOf(request), ownerId);
      return reply
        .code(201)
        .headers({
          location: `/v1/organisations/${organisation.name}`,
          etag: entityTag(organisation.version),
        })
        .send(organisationJson(organisation));
    },
  );

  app.get(
    '/v1/organisations/:organisation',
    {
      config: READ,
      schema: { params: OrganisationParams, response: { 200: Organisation, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const organisation = organisationOf(request);
      return reply.header('etag', entityTag(organisation.version)).send(organisationJson(organisation));
    },
  );

  app.put(
    '/v1/organisations/:organisation',
    {
      config: versioned(CHANGE),
      schema: {
        params: OrganisationParams,
        body: RenamedOrganisation,
        response: { 200: Organisation, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { id } = organisationOf(request);
      const renamed = await organisations.renameOrganisation(id, request.body.name, versionedBy(request));
      return reply.header('etag', entityTag(renamed.version)).send(organisationJson(renamed));
    },
  );

  app.delete(
    '/v1/organisations/:organisation',
    {
      config: versioned(CHANGE),
      schema: { params: OrganisationParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      await organisations.deleteOrganisation(organisationOf(request).id, versionedBy(request));
      return reply.code(204).send(null);
    },
  );

  /**
   * Who is named, or asks. Null: nobody, which is enough for who administers the machine. Who owns an
   * organisation gets in by nobody whose role is less: an admin must not do that to others.
   */
  async function ownerOf(request: FastifyRequest, named: string | undefined): Promise<string | null> {
    const { userId } = principalOf(request);
    if (named === undefined) return userId;
    const { id, login, isDisabled } = await userOr404(users, named);
    if (id !== userId && roleOf(request) !== 'owner') {
      throw new BrumeError('forbidden_role', {
        field: 'owner',
        detail: `To name somebody else as the owner needs the role owner; yours is ${roleOf(request)}.`,
      });
    }
    if (isDisabled) throw badMember('owner', `can't be ${login}, who is disabled`);
    return id;
  }
};
