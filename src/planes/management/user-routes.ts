import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { userOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { User, UserParams, userJson } from './organisation-schemas.ts';
import { listOf, NamedPageQuery, namedPageOf } from './page.ts';
import { Name } from './resource-schemas.ts';
import { access, forPeople, versioned } from './route-access.ts';
import { writerOf } from './writer-of.ts';

const READ = access('installation', 'admin');
const CREATE = access('installation', 'admin', { isChange: true });
/** Whoever can do this to a user can take over what the user may do, or end it. */
const CHANGE = forPeople(versioned(access('installation', 'owner', { isChange: true })));

/** People, of the whole installation. */
export const userRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, { users }) => {
  app.get(
    '/v1/users',
    {
      config: READ,
      schema: { querystring: NamedPageQuery, response: { 200: listOf(User), ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const { items, next } = namedPageOf(await users.listUsers(), request.query, ({ login }) => login);
      return { items: items.map(userJson), next };
    },
  );

  app.post(
    '/v1/users',
    {
      config: CREATE,
      schema: {
        body: Type.Object({ login: Name }, { additionalProperties: false }),
        response: { 201: User, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const user = await users.createUser(request.body.login, actorOf(request));
      return reply
        .code(201)
        .headers({ location: `/v1/users/${user.login}`, etag: entityTag(user.updatedAtMs) })
        .send(userJson(user));
    },
  );

  app.get(
    '/v1/users/:user',
    { config: READ, schema: { params: UserParams, response: { 200: User, ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const user = await userOr404(users, request.params.user);
      return reply.header('etag', entityTag(user.updatedAtMs)).send(userJson(user));
    },
  );

  app.put(
    '/v1/users/:user',
    {
      config: CHANGE,
      schema: {
        params: UserParams,
        body: Type.Object({ isDisabled: Type.Boolean() }, { additionalProperties: false }),
        response: { 200: User, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { id } = await userOr404(users, request.params.user);
      const { actor, expectedVersion } = versionedBy(request);
      const user = await users.disableUser(id, request.body.isDisabled, actor, {
        writer: writerOf(request),
        expectedVersion,
      });
      return reply.header('etag', entityTag(user.updatedAtMs)).send(userJson(user));
    },
  );

  app.delete(
    '/v1/users/:user',
    { config: CHANGE, schema: { params: UserParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const user = await userOr404(users, request.params.user);
      const { actor, expectedVersion } = versionedBy(request);
      await users.deleteUser(user.id, actor, { writer: writerOf(request), expectedVersion });
      return reply.code(204).send(null);
    },
  );
};
