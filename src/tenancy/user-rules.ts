import { BrumeError } from '../errors/catalogue.ts';
import { DEFAULT_ORGANISATION_ID } from './organisation.ts';
import { isAtLeast, type Role } from './role.ts';

/** By the id of the organisation. */
export type Roles = ReadonlyMap<string, Role>;

/** A user to whom something is to be done, as it matters for who may. */
export interface ChangedUser {
  readonly roles: Roles;
  readonly isWriter: boolean;
}

/**
 * Whether somebody with these roles may end what a user has: `least` is needed in the organisation `default`,
 * and nobody does it to whoever has a higher role anywhere. Rejects with BrumeError `forbidden_role`.
 */
export function assertMayRestrictUser(own: Roles, user: ChangedUser, least: Role): void {
  const role = own.get(DEFAULT_ORGANISATION_ID);
  if (role === undefined) throw new BrumeError('forbidden_role');
  if (!isAtLeast(role, least)) {
    throw new BrumeError('forbidden_role', {
      detail: `This call needs the role ${least}; yours is ${role}.`,
    });
  }
  const above = [...user.roles.values()].find((one) => !isAtLeast(role, one));
  if (above === undefined || user.isWriter) return;
  throw new BrumeError('forbidden_role', {
    detail: `This user has the role ${above}, which is above yours: ${role}.`,
  });
}

/**
 * Whether they may decide how a user gets in, and so act as the user: an owner of `default`, whose roles are
 * no less than the user's in each organisation. The roles are what there is to take, also of a user who has
 * never signed in. Rejects with BrumeError `forbidden_role`.
 */
export function assertMayAdmitUser(own: Roles, user: ChangedUser): void {
  assertMayRestrictUser(own, user, 'owner');
  for (const [organisationId, role] of user.roles) {
    const there = own.get(organisationId);
    if (there === undefined || !isAtLeast(there, role)) {
      throw new BrumeError('forbidden_role', {
        detail:
          'Whoever does this can act as the user, who has a higher role than you in another organisation. An administrator of the machine can: sudo brume user',
      });
    }
  }
}
