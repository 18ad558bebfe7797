import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Tier as StoredTier } from '../../tenancy/tier.ts';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { isReference } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { NewTier, Tier, TierParams, tierJson } from './organisation-schemas.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { Project, ProjectParams, projectJson } from './resource-schemas.ts';
import { access, versioned } from './route-access.ts';

/** Ceilings are set by those who look after the installation, not by those whom they are for. */
const READ = access('installation', 'viewer');
const CHANGE = access('installation', 'admin', { isChange: true });

export const tierRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, { tiers }) => {
  app.get(
    '/v1/tiers',
    {
      config: READ,
      schema: { querystring: NamedPageQuery, response: { 200: listOf(Tier), ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const { items, next } = namedPageOf(await tiers.listTiers(), request.query, ({ name }) => name);
      return { items: items.map(tierJson), next };
    },
  );

  app.post(
    '/v1/tiers',
    { config: CHANGE, schema: { body: NewTier, response: { 201: Tier, ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const tier = await tiers.createTier(request.body, actorOf(request));
      return reply
        .code(201)
        .headers({ location: `/v1/tiers/${tier.name}`, etag: entityTag(tier.version) })
        .send(tierJson(tier));
    },
  );

  app.get(
    '/v1/tiers/:tier',
    { config: READ, schema: { params: TierParams, response: { 200: Tier, ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const tier = await tierOr404(request.params.tier);
      return reply.header('etag', entityTag(tier.version)).send(tierJson(tier));
    },
  );

  app.put(
    '/v1/tiers/:tier',
    {
      config: versioned(CHANGE),
      schema: { params: TierParams, body: NewTier, response: { 200: Tier, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const { id } = await tierOr404(request.params.tier);
      const tier = await tiers.updateTier(id, request.body, versionedBy(request));
      return reply.header('etag', entityTag(tier.version)).send(tierJson(tier));
    },
  );

  app.delete(
    '/v1/tiers/:tier',
    {
      config: versioned(CHANGE),
      schema: { params: TierParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const { id } = await tierOr404(request.params.tier);
      await tiers.deleteTier(id, versionedBy(request));
      return reply.code(204).send(null);
    },
  );

  app.put(
    '/v1/projects/:project/tier',
    {
      config: versioned(CHANGE),
      schema: {
        params: ProjectParams,
        body: Type.Object(
          {
            tier: Type.Union([
              Type.String({ description: 'a name or an id, or null for none' }),
              Type.Null(),
            ]),
          },
          { additionalProperties: false },
        ),
        response: { 200: Project, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { tier } = request.body;
      const tierId = tier === null ? null : (await tierOr404(tier)).id;
      const project = await tiers.setProjectTier(projectOf(request).id, tierId, versionedBy(request));
      return reply.header('etag', entityTag(project.version)).send(projectJson(project));
    },
  );

  async function tierOr404(idOrName: string): Promise<StoredTier> {
    const tier = isReference(idOrName) ? await tiers.findTier(idOrName) : undefined;
    if (tier === undefined) throw new BrumeError('unknown_tier');
    return tier;
  }
};
