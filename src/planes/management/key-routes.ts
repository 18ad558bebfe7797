import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { defaultScopes } from '../../tenancy/api-key.ts';
import { newApiKeySecret } from '../../tenancy/api-key-secret.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { parseExpiry } from './expiry.ts';
import { isReference } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { byAge, listOf, NamedPageQuery, pageOf } from './page.ts';
import {
  ApiKey,
  CreatedApiKey,
  KeyKind,
  KeyParams,
  keyJson,
  Name,
  ProjectParams,
  Scope,
} from './resource-schemas.ts';
import { CHANGE, READ } from './route-access.ts';

const NewKey = Type.Object(
  {
    name: Name,
    kind: KeyKind,
    scopes: Type.Optional(Type.Array(Scope, { minItems: 1, uniqueItems: true })),
    expiresAt: Type.Optional(
      Type.Union([Type.String({ description: 'a time in ISO 8601 with its offset, or null' }), Type.Null()]),
    ),
  },
  { additionalProperties: false },
);

export const keyRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { tenancy, clock } = deps;

  app.get(
    '/v1/projects/:project/keys',
    {
      config: READ,
      schema: {
        params: ProjectParams,
        querystring: NamedPageQuery,
        response: { 200: listOf(ApiKey), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const { name: beginning = '' } = request.query;
      const keys = await tenancy.listKeys(projectOf(request).id);
      const named = keys.filter(({ name }) => name.startsWith(beginning));
      const { items, next } = pageOf(named, request.query, byAge);
      return { items: items.map(keyJson), next };
    },
  );

  app.post(
    '/v1/projects/:project/keys',
    {
      config: CHANGE,
      schema: {
        params: ProjectParams,
        body: NewKey,
        response: { 201: CreatedApiKey, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { name, kind, scopes = defaultScopes(kind), expiresAt } = request.body;
      const expiresAtMs = parseExpiry(expiresAt, clock.nowMs());
      const project = projectOf(request);
      const { secret, prefix, sha256 } = newApiKeySecret(kind);
      const key = await tenancy.createKey(
        project.id,
        { name, kind, scopes, prefix, sha256, expiresAtMs },
        actorOf(request),
      );
      return reply
        .code(201)
        .header('location', `/v1/projects/${project.name}/keys/${key.id}`)
        .send({ ...keyJson(key), key: secret });
    },
  );

  app.delete(
    '/v1/projects/:project/keys/:key',
    {
      config: CHANGE,
      schema: { params: KeyParams, response: { 200: ApiKey, ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const project = projectOf(request);
      if (!isReference(request.params.key)) throw new BrumeError('unknown_key');
      const key = await tenancy.revokeKey(project.id, request.params.key, actorOf(request));
      return keyJson(key);
    },
  );
};
