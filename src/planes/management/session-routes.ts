import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { PASSWORD_UNITS_MAX } from '../../tenancy/identity/password-rules.ts';
import type { Organisation, OrganisationStore } from '../../tenancy/organisation.ts';
import type { Principal } from '../../tenancy/principal.ts';
import { ROLES } from '../../tenancy/role.ts';
import type { Session as StoredSession, UserStore } from '../../tenancy/user.ts';
import { principalOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import type { addressReader } from '../hooks/recorded-address.ts';
import { isReference } from './find-or-404.ts';
import type { SignIn } from './identity/sign-in.ts';
import { byRecency, listOf, PageQuery, pageOf } from './page.ts';
import { access, READ_OWN } from './route-access.ts';

export interface SessionRoutesDeps {
  readonly users: Pick<UserStore, 'findUser' | 'listSessions' | 'endSession' | 'revokeSession'>;
  readonly organisations: Pick<OrganisationStore, 'listOrganisations'>;
  readonly signIn: Pick<SignIn, 'signIn'>;
  readonly addressOf: ReturnType<typeof addressReader>;
}

const PUBLIC = { isPublic: true, timeoutMs: 30_000 } as const;
const CHANGE_OWN = access('own', 'viewer', { isChange: true });

const Credentials = Type.Object(
  { login: Type.String({ maxLength: 256 }), password: Type.String({ maxLength: PASSWORD_UNITS_MAX }) },
  { additionalProperties: false },
);
const SignedIn = Type.Object({
  token: Type.String({ description: 'to be sent as Authorization: Bearer' }),
  expiresAt: Type.String(),
  login: Type.String(),
});
const WhoAmI = Type.Object({
  name: Type.String({ description: 'as history and audit record who asks' }),
  userId: Type.Union([Type.String(), Type.Null()]),
  login: Type.Union([Type.String(), Type.Null()]),
  sessionId: Type.Union([Type.String(), Type.Null()]),
  organisations: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), role: Type.Enum([...ROLES]) }),
  ),
});
export const Session = Type.Object({
  id: Type.String(),
  createdAt: Type.String(),
  expiresAt: Type.String(),
  revokedAt: Type.Union([Type.String(), Type.Null()]),
});
const SessionParams = Type.Object({ session: Type.String() });

/** Signing in and out, and one's own sessions. For the plane that people reach over the network. */
export const sessionRoutes: FastifyPluginAsyncTypebox<SessionRoutesDeps> = async (app, deps) => {
  const { users, organisations, signIn, addressOf } = deps;

  app.post(
    '/v1/session',
    { config: PUBLIC, schema: { body: Credentials, response: { 201: SignedIn, ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const { login, password } = request.body;
      const { token, expiresAtMs, user } = await signIn.signIn(login, password, {
        address: addressOf(request),
        requestId: request.id,
      });
      return reply
        .code(201)
        .send({ token, expiresAt: new Date(expiresAtMs).toISOString(), login: user.login });
    },
  );

  app.get(
    '/v1/session',
    { config: READ_OWN, schema: { response: { 200: WhoAmI, ...PROBLEM_ANSWERS } } },
    async (request) => {
      const principal = principalOf(request);
      const { actor, userId, sessionId = null } = principal;
      const user = userId === null ? undefined : await users.findUser(userId);
      return {
        name: actor.name,
        userId,
        login: user?.login ?? null,
        sessionId,
        organisations: await rolesOf(principal, await organisations.listOrganisations()),
      };
    },
  );

  app.delete(
    '/v1/session',
    { config: CHANGE_OWN, schema: { response: { 204: Type.Null(), ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const { sessionId, actor, ...principal } = principalOf(request);
      const userId = personOf(principal);
      if (userId === null || sessionId === undefined) {
        throw new BrumeError('unknown_session', {
          detail: 'You did not sign in here: whoever issued your token ends it.',
        });
      }
      await users.endSession(userId, sessionId, actor);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/v1/sessions',
    {
      config: READ_OWN,
      schema: { querystring: PageQuery, response: { 200: listOf(Session), ...PROBLEM_ANSWERS } },
    },
    async (request) => {
      const userId = personOf(principalOf(request));
      const sessions = userId === null ? [] : await users.listSessions(userId);
      return sessionPage(sessions, request.query);
    },
  );

  app.delete(
    '/v1/sessions/:session',
    {
      config: CHANGE_OWN,
      schema: { params: SessionParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const { actor, ...principal } = principalOf(request);
      const userId = personOf(principal);
      const { session } = request.params;
      if (userId === null || !isReference(session)) throw new BrumeError('unknown_session');
      await users.revokeSession(userId, session, actor);
      return reply.code(204).send(null);
    },
  );
};

/** By the roles of whoever asks, which a token has without being anybody's. */
async function rolesOf(principal: Principal, organisations: readonly Organisation[]) {
  const mine = await principal.organisations();
  const seen = organisations.filter(({ id }) => mine === 'all' || mine.has(id));
  const own = await Promise.all(
    seen.map(async ({ id, name }) => ({ id, name, role: await principal.roleIn(id) })),
  );
  return own.flatMap(({ role, ...one }) => (role === undefined ? [] : [{ ...one, role }]));
}

/** A management token acts for whoever made it, but has nothing to do with their sessions. */
function personOf({ userId, tokenId }: Pick<Principal, 'userId' | 'tokenId'>): string | null {
  return tokenId === null ? userId : null;
}

/** The newest first. */
export function sessionPage(sessions: readonly StoredSession[], query: Static<typeof PageQuery>) {
  const { items, next } = pageOf(sessions, query, byRecency);
  return { items: items.map(sessionJson), next };
}

function sessionJson({ id, createdAtMs, expiresAtMs, revokedAtMs }: StoredSession) {
  return {
    id,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
    revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs).toISOString(),
  };
}
