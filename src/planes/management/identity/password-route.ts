import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../../errors/catalogue.ts';
import { PASSWORD_UNITS_MAX } from '../../../tenancy/identity/password-rules.ts';
import { principalOf } from '../../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../../hooks/problem.ts';
import { access, forPeople } from '../route-access.ts';
import type { SignIn } from './sign-in.ts';

export interface PasswordRouteDeps {
  readonly signIn: Pick<SignIn, 'changePassword'>;
}

const CHANGE = forPeople(access('own', 'viewer', { isChange: true }));

const Change = Type.Object(
  {
    password: Type.String({ maxLength: PASSWORD_UNITS_MAX, description: 'the one that you have' }),
    newPassword: Type.String({ maxLength: PASSWORD_UNITS_MAX, description: '12 to 256 characters' }),
  },
  { additionalProperties: false },
);

/** Changing one's own password. For the plane that people reach over the network. */
export const passwordRoute: FastifyPluginAsyncTypebox<PasswordRouteDeps> = async (app, { signIn }) => {
  app.put(
    '/v1/session/password',
    { config: CHANGE, schema: { body: Change, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } } },
    async (request, reply) => {
      const { userId, sessionId, actor } = principalOf(request);
      if (userId === null) throw new BrumeError('unknown_user');
      const { address, requestId } = actor;
      await signIn.changePassword({ userId, sessionId }, request.body, { address, requestId });
      return reply.code(204).send(null);
    },
  );
};
