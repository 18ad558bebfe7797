import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { newApiKeySecret } from '../../tenancy/api-key-secret.ts';
import type { ManagedKey } from '../../tenancy/tenancy-store.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { parseExpiry } from './expiry.ts';
import type { ManagementDeps } from './management-deps.ts';
import { ApiKey, CreatedApiKey, KeyParams, keyJson } from './resource-schemas.ts';
import { CHANGE, READ } from './route-access.ts';

const DAY_MS = 86_400_000;
const OVERLAP_MAX_MS = 30 * DAY_MS;

const Rotation = Type.Object(
  {
    overlapMs: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_MAX_MS })),
    expiresAt: Type.Optional(
      Type.Union([
        Type.String({
          description: 'a time in ISO 8601 with its offset, or null; when absent as the old one',
        }),
        Type.Null(),
      ]),
    ),
  },
  { additionalProperties: false },
);

/** One key, and a new one in its place, while those who hold it change over. */
export const keyRotationRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { tenancy, clock } = deps;

  app.get(
    '/v1/projects/:project/keys/:key',
    { config: READ, schema: { params: KeyParams, response: { 200: ApiKey, ...PROBLEM_ANSWERS } } },
    async (request) => keyJson(await keyOr404(projectOf(request).id, request.params.key)),
  );

  app.post(
    '/v1/projects/:project/keys/:key/rotate',
    {
      config: CHANGE,
      schema: {
        params: KeyParams,
        body: Rotation,
        response: {
          201: Type.Object({ ...CreatedApiKey.properties, replaced: ApiKey }),
          ...PROBLEM_ANSWERS,
        },
      },
    },
    async (request, reply) => {
      const { overlapMs = DAY_MS, expiresAt } = request.body;
      const expiresAtMs = expiresAt === undefined ? undefined : parseExpiry(expiresAt, clock.nowMs());
      const project = projectOf(request);
      const { id, kind } = await keyOr404(project.id, request.params.key);
      const { secret, prefix, sha256 } = newApiKeySecret(kind);
      const rotation = { prefix, sha256, expiresAtMs, overlapMs };
      const { created, replaced } = await tenancy.rotateKey(project.id, id, rotation, actorOf(request));
      return reply
        .code(201)
        .header('location', `/v1/projects/${project.name}/keys/${created.id}`)
        .send({ ...keyJson(created), key: secret, replaced: keyJson(replaced) });
    },
  );

  async function keyOr404(projectId: string, id: string): Promise<ManagedKey> {
    const key = (await tenancy.listKeys(projectId)).find((one) => one.id === id);
    if (key === undefined) throw new BrumeError('unknown_key');
    return key;
  }
};
