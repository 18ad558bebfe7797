import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import type { UserStore } from '../../tenancy/user.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { isReference, userOr404 } from './find-or-404.ts';
import { access } from './route-access.ts';
import { Session, sessionJson } from './session-routes.ts';

export interface UserSessionRoutesDeps {
  readonly users: Pick<UserStore, 'findUser' | 'listSessions' | 'revokeSession' | 'revokeSessions'>;
}

const READ_USERS = access('installation', 'admin');
const CHANGE_USERS = access('installation', 'admin', { isChange: true });

const UserParams = Type.Object({ user: Type.String() });
const SessionParams = Type.Object({ user: Type.String(), session: Type.String() });

/** The sessions of somebody else. */
export const userSessionRoutes: FastifyPluginAsyncTypebox<UserSessionRoutesDeps> = async (app, deps) => {
  const { users } = deps;

  app.get(
    '/v1/users/:user/sessions',
    {
      config: READ_USERS,
      schema: {
        params: UserParams,
        response: { 200: Type.Object({ items: Type.Array(Session) }), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const user = await userOr404(users, request.params.user);
      return { items: (await users.listSessions(user.id)).map(sessionJson) };
    },
  );

  app.delete(
    '/v1/users/:user/sessions',
    {
      config: CHANGE_USERS,
      schema: { params: UserParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const user = await userOr404(users, request.params.user);
      await users.revokeSessions(user.id, actorOf(request));
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/v1/users/:user/sessions/:session',
    {
      config: CHANGE_USERS,
      schema: { params: SessionParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const user = await userOr404(users, request.params.user);
      if (!isReference(request.params.session)) throw new BrumeError('unknown_session');
      await users.revokeSession(user.id, request.params.session, actorOf(request));
      return reply.code(204).send(null);
    },
  );
};
