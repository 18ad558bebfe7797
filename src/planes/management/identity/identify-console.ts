import { BrumeError } from '../../../errors/catalogue.ts';
import type {
  ConsoleTokens,
  ProviderClaims,
  SessionClaims,
} from '../../../tenancy/identity/console-tokens.ts';
import type { OrganisationStore } from '../../../tenancy/organisation.ts';
import type { User, UserStore } from '../../../tenancy/user.ts';
import { bearerToken } from '../../hooks/bearer-token.ts';
import type { Identify } from '../../hooks/identification.ts';
import type { addressReader } from '../../hooks/recorded-address.ts';
import { userPrincipal } from './user-principal.ts';

export interface IdentifyConsoleDeps {
  readonly tokens: ConsoleTokens;
  readonly users: Pick<UserStore, 'liveSession' | 'findUser' | 'findByIdentity'>;
  readonly organisations: Pick<OrganisationStore, 'roleOf' | 'organisationsOf'>;
  readonly addressOf: ReturnType<typeof addressReader>;
}

/**
 * People by the JWT of their session here, or of an OIDC provider. What the token says is not believed
 * beyond who it is: session, user and memberships are read from the store at each request.
 */
export function identifyConsole({ tokens, users, organisations, addressOf }: IdentifyConsoleDeps): Identify {
  return async (request) => {
    const token = bearerToken(request.raw.rawHeaders);
    if (token === undefined) return undefined;
    const claims = await tokens.verify(token);
    if (claims === undefined) return undefined;
    const origin = { address: addressOf(request), requestId: request.id };
    if (claims.by === 'provider') {
      const user = await linkedUser(users, claims.provider);
      return userPrincipal(user, { origin, organisations });
    }
    const user = await sessionUser(users, claims.session);
    return user && userPrincipal(user, { origin, organisations, sessionId: claims.session.sessionId });
  };
}

async function sessionUser(
  users: IdentifyConsoleDeps['users'],
  { sessionId, userId }: SessionClaims,
): Promise<User | undefined> {
  const session = await users.liveSession(sessionId);
  if (session === undefined || session.userId !== userId) return undefined;
  const user = await users.findUser(userId);
  return user === undefined || user.isDisabled ? undefined : user;
}

/** By issuer and subject only: an e-mail address belongs to whoever the provider lets write it. */
async function linkedUser(
  users: IdentifyConsoleDeps['users'],
  { issuer, subject }: ProviderClaims,
): Promise<User> {
  const user = await users.findByIdentity(issuer, subject);
  if (user === undefined) {
    const command = `brume user link LOGIN --issuer ${shellWord(issuer)} --subject ${shellWord(subject)}`;
    throw new BrumeError('unauthorized', {
      detail: `The token is good, but nobody here is linked to it. Who looks after this Brume does that with: ${command}`,
    });
  }
  if (user.isDisabled) throw new BrumeError('unauthorized', { detail: 'This user is disabled.' });
  return user;
}

/** Somebody will paste it. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9._:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
