import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../tenancy/actor.ts';
import type { ManagementToken, ManagementTokenStore } from '../../tenancy/management-token.ts';
import { managementTokenHash } from '../../tenancy/management-token-secret.ts';
import { roleOfToken } from '../../tenancy/member-rules.ts';
import type { OrganisationStore } from '../../tenancy/organisation.ts';
import type { Principal } from '../../tenancy/principal.ts';
import type { Role } from '../../tenancy/role.ts';
import { bearerToken } from '../hooks/bearer-token.ts';
import type { Identify } from '../hooks/identification.ts';

export interface TokenIdentityDeps {
  readonly tokens: Pick<ManagementTokenStore, 'findToken' | 'noteTokenUse'>;
  readonly organisations: Pick<OrganisationStore, 'roleOf'>;
  readonly clock: { nowMs(): number };
  readonly addressOf: (request: FastifyRequest) => string | null;
}

/** How old the noted time of a token's last use may get before it is noted anew. */
const NOTED_EVERY_MS = 60_000;

/** Programs by their management token. Read from the store at each request: a revoked one is refused at once. */
export function identifyToken({ tokens, organisations, clock, addressOf }: TokenIdentityDeps): Identify {
  return async (request) => {
    const sha256 = managementTokenHash(bearerToken(request.raw.rawHeaders) ?? '');
    if (sha256 === undefined) return undefined;
    const token = await tokens.findToken(sha256);
    const nowMs = clock.nowMs();
    if (token === undefined || token.revokedAtMs !== null || nowMs >= token.expiresAtMs) return undefined;
    if (nowMs - (token.lastUsedAtMs ?? 0) >= NOTED_EVERY_MS) {
      // Nobody waits for it, and a call is not refused because it failed.
      tokens.noteTokenUse(token.id, nowMs).catch(() => undefined);
    }
    const actor = { name: `token:${token.name}`, address: addressOf(request), requestId: request.id };
    return tokenPrincipal(token, actor, organisations);
  };
}

function tokenPrincipal(
  token: ManagementToken,
  actor: Actor,
  organisations: TokenIdentityDeps['organisations'],
): Principal {
  const roleIn = async (organisationId: string): Promise<Role | undefined> => {
    if (organisationId !== token.organisationId) return undefined;
    const { madeBy } = token;
    return roleOfToken(
      token,
      madeBy === null ? undefined : await organisations.roleOf(organisationId, madeBy),
    );
  };
  return {
    actor,
    isLocal: false,
    userId: token.madeBy,
    tokenId: token.id,
    roleIn,
    organisations: async () =>
      new Set((await roleIn(token.organisationId)) === undefined ? [] : [token.organisationId]),
  };
}
