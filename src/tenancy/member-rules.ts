import { BrumeError } from '../errors/catalogue.ts';
import type { ManagementToken } from './management-token.ts';
import { isAtLeast, lesserRole, type Role } from './role.ts';

/** Who changes members or users over the network: a user, or a management token. */
export interface MemberWriter {
  readonly userId: string | null;
  readonly tokenId: string | null;
}

const LEAST: Role = 'admin';

/**
 * Nobody gives or takes a role that is above their own. `own` is the writer's, `roles` those that a member
 * has and gets. Rejects with BrumeError: unknown_organisation for who has no role by now, forbidden_role.
 */
export function assertMayChangeMember(own: Role | undefined, roles: readonly (Role | undefined)[]): void {
  if (own === undefined) throw new BrumeError('unknown_organisation');
  if (!isAtLeast(own, LEAST)) {
    throw new BrumeError('forbidden_role', { detail: `This call needs the role ${LEAST}; yours is ${own}.` });
  }
  const above = roles.find((role) => role !== undefined && !isAtLeast(own, role));
  if (above === undefined) return;
  throw new BrumeError('forbidden_role', {
    detail: `Who has the role ${above}, only somebody with that role can change; yours is ${own}.`,
  });
}

/** A token's role, or its maker's where that has become less; none where the maker is no member any more. */
export function roleOfToken(
  { role, madeBy }: Pick<ManagementToken, 'role' | 'madeBy'>,
  makersRole: Role | undefined,
): Role | undefined {
  if (madeBy === null) return role;
  return makersRole === undefined ? undefined : lesserRole(role, makersRole);
}
