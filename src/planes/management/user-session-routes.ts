import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import type { UserStore } from '../../tenancy/user.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { isReference, userOr404 } from './find-or-404.ts';
import { listOf, PageQuery } from './page.ts';
import { access, forPeople } from './route-access.ts';
import { Session, sessionPage } from './session-routes.ts';
import { writerOf } from './writer-of.ts';

export interface UserSessionRoutesDeps {
  readonly users: Pick<UserStore, 'findUser' | 'listSessions' | 'revokeSession' | 'revokeSessions'>;
}

const READ_USERS = access('installation', 'admin');
const CHANGE_USERS = forPeople(access('installation', 'admin', { isChange: true }));

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
        querystring: PageQuery,
        response: { 200: listOf(Session), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const user = await userOr404(users, request.params.user);
      return sessionPage(await users.listSessions(user.id), request.query);
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
      await users.revokeSessions(user.id, actorOf(request), writerOf(request));
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
      await users.revokeSession(user.id, request.params.session, actorOf(request), writerOf(request));
      return reply.code(204).send(null);
    },
  );
};
