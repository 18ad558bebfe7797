import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { UserStore } from '../../tenancy/user.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { userOr404 } from './find-or-404.ts';
import { UserParams } from './organisation-schemas.ts';
import { iso } from './resource-schemas.ts';
import { access, forPeople } from './route-access.ts';
import { writerOf } from './writer-of.ts';

export interface UserIdentityRoutesDeps {
  readonly users: Pick<UserStore, 'findUser' | 'listIdentities' | 'linkIdentity' | 'unlinkIdentity'>;
}

const READ = access('installation', 'admin');
/** Whoever can do this to a user can take over what the user may do. */
const CHANGE = forPeople(access('installation', 'owner', { isChange: true }));

const PLAIN = {
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  description: 'text without control characters, as the tokens have it',
};

const Identity = Type.Object(
  {
    issuer: Type.String({ minLength: 1, maxLength: 2048, ...PLAIN }),
    subject: Type.String({ minLength: 1, maxLength: 255, ...PLAIN }),
  },
  { additionalProperties: false },
);
const LinkedIdentity = Type.Object({
  issuer: Type.String(),
  subject: Type.String(),
  createdAt: Type.String({ description: 'when it was linked; ISO 8601, UTC' }),
});

/** Who a user is at an identity provider. */
export const userIdentityRoutes: FastifyPluginAsyncTypebox<UserIdentityRoutesDeps> = async (app, deps) => {
  const { users } = deps;

  app.get(
    '/v1/users/:user/identities',
    {
      config: READ,
      schema: {
        params: UserParams,
        response: { 200: Type.Object({ items: Type.Array(LinkedIdentity) }), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const user = await userOr404(users, request.params.user);
      const identities = await users.listIdentities(user.id);
      return {
        items: identities.map(({ createdAtMs, ...identity }) => ({
          ...identity,
          createdAt: iso(createdAtMs),
        })),
      };
    },
  );

  app.post(
    '/v1/users/:user/identities',
    {
      config: CHANGE,
      schema: { params: UserParams, body: Identity, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const { issuer, subject } = request.body;
      const user = await userOr404(users, request.params.user);
      await users.linkIdentity(user.id, issuer, subject, actorOf(request), writerOf(request));
      return reply.code(204).send(null);
    },
  );

  // An issuer is a URL, which no segment of a path takes as it is.
  app.delete(
    '/v1/users/:user/identities',
    {
      config: CHANGE,
      schema: {
        params: UserParams,
        querystring: Identity,
        response: { 204: Type.Null(), ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const { issuer, subject } = request.query;
      const user = await userOr404(users, request.params.user);
      await users.unlinkIdentity(user.id, issuer, subject, actorOf(request), writerOf(request));
      return reply.code(204).send(null);
    },
  );
};
