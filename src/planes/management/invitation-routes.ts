import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { newOneTimeSecret } from '../../tenancy/identity/one-time-secret.ts';
import { PASSWORD_UNITS_MAX } from '../../tenancy/identity/password-rules.ts';
import type { UserStore } from '../../tenancy/user.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import type { addressReader } from '../hooks/recorded-address.ts';
import { userOr404 } from './find-or-404.ts';
import type { SignIn } from './identity/sign-in.ts';
import { access, forPeople } from './route-access.ts';
import { writerOf } from './writer-of.ts';

export interface InvitationRoutesDeps {
  readonly users: Pick<UserStore, 'findUser' | 'createInvitation'>;
  readonly clock: { nowMs(): number };
  /** Where people reach the management plane. */
  readonly managementUrl: string;
}

export interface AcceptanceRoutesDeps {
  readonly signIn: Pick<SignIn, 'acceptInvitation'>;
  readonly addressOf: ReturnType<typeof addressReader>;
}

const DAY_MS = 86_400_000;
const PUBLIC = { isPublic: true, timeoutMs: 30_000 } as const;
/** Whoever has the link can sign in as the user: no less than an owner may make one. */
const INVITE = forPeople(access('installation', 'owner', { isChange: true }));

const Invitation = Type.Object({
  login: Type.String(),
  url: Type.String({ description: 'to be opened once, until it expires; shown this once' }),
  token: Type.String({ description: 'the same for POST /v1/invitations/accept' }),
  expiresAt: Type.String(),
});

/** One-time links by which somebody sets a first password, or a new one. */
export const invitationRoutes: FastifyPluginAsyncTypebox<InvitationRoutesDeps> = async (app, deps) => {
  const { users, clock, managementUrl } = deps;

  app.post(
    '/v1/users/:user/invitations',
    {
      config: INVITE,
      schema: {
        params: Type.Object({ user: Type.String() }),
        response: { 201: Invitation, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const user = await userOr404(users, request.params.user);
      const { secret, sha256 } = newOneTimeSecret();
      const expiresAtMs = clock.nowMs() + DAY_MS;
      await users.createInvitation(user.id, { sha256, expiresAtMs }, actorOf(request), writerOf(request));
      return reply.code(201).send({
        login: user.login,
        // Behind "#" it is not sent to any server, and so in no log.
        url: `${managementUrl.replace(/\/$/, '')}/invitation#${secret}`,
        token: secret,
        expiresAt: new Date(expiresAtMs).toISOString(),
      });
    },
  );
};

/** Using such a link. For the plane that people reach over the network. */
export const acceptanceRoutes: FastifyPluginAsyncTypebox<AcceptanceRoutesDeps> = async (app, deps) => {
  const { signIn, addressOf } = deps;

  app.post(
    '/v1/invitations/accept',
    {
      config: PUBLIC,
      schema: {
        body: Type.Object(
          {
            token: Type.String({ maxLength: 256 }),
            password: Type.String({ maxLength: PASSWORD_UNITS_MAX }),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ login: Type.String() }), ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const { token, password } = request.body;
      const origin = { address: addressOf(request), requestId: request.id };
      const { login } = await signIn.acceptInvitation(token, password, origin);
      return { login };
    },
  );
};
