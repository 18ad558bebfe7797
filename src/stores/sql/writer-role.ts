import type { MemberWriter } from '../../tenancy/member-rules.ts';
import { roleOfToken } from '../../tenancy/member-rules.ts';
import type { Role } from '../../tenancy/role.ts';
import type { Change } from './change.ts';
import { selectToken } from './management-tokens.ts';
import { selectRole } from './members.ts';

/**
 * The role that a writer has within the change itself: no other change comes between it and the write.
 * Undefined: none, or none any more.
 */
export async function writerRole(
  { transaction, nowMs }: Pick<Change, 'transaction' | 'nowMs'>,
  organisationId: string,
  { userId, tokenId }: MemberWriter,
): Promise<Role | undefined> {
  const roleOf = async (id: string | null) =>
    id === null ? undefined : selectRole(transaction, { organisationId, userId: id });
  if (tokenId === null) return roleOf(userId);
  const token = await selectToken(transaction, organisationId, tokenId);
  if (token === undefined || token.revokedAtMs !== null || token.expiresAtMs <= nowMs) return undefined;
  return roleOfToken(token, await roleOf(token.madeBy));
}
