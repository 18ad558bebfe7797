import type { Actor } from '../../../tenancy/actor.ts';
import type { OrganisationStore } from '../../../tenancy/organisation.ts';
import type { Principal } from '../../../tenancy/principal.ts';
import type { User } from '../../../tenancy/user.ts';

/** A person, with the roles that the memberships give at the moment of asking. */
export function userPrincipal(
  user: User,
  {
    origin,
    organisations,
    sessionId,
  }: {
    readonly origin: Omit<Actor, 'name'>;
    readonly organisations: Pick<OrganisationStore, 'roleOf' | 'organisationsOf'>;
    readonly sessionId?: string;
  },
): Principal {
  return {
    actor: { name: `user:${user.login}`, ...origin },
    isLocal: false,
    userId: user.id,
    tokenId: null,
    ...(sessionId !== undefined && { sessionId }),
    roleIn: (organisationId) => organisations.roleOf(organisationId, user.id),
    organisations: async () => new Set((await organisations.organisationsOf(user.id)).map(({ id }) => id)),
  };
}
