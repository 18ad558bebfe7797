import { BrumeError } from '../../errors/catalogue.ts';
import type { MemberWriter } from '../../tenancy/member-rules.ts';
import type { Role } from '../../tenancy/role.ts';
import type { User } from '../../tenancy/user.ts';
import {
  assertMayAdmitUser,
  assertMayRestrictUser,
  type ChangedUser,
  type Roles,
} from '../../tenancy/user-rules.ts';
import { selectOrganisationsOf } from './members.ts';
import type { SqlTransaction } from './sql.ts';
import { selectUser } from './users.ts';

/**
 * Within a change of a user: whether the writer may end what the user has, by the roles of this moment. No
 * writer: whoever administers the machine. Rejects with `forbidden_role`.
 */
export async function assertMayRestrict(
  transaction: SqlTransaction,
  user: User,
  { writer, least }: { readonly writer: MemberWriter | undefined; readonly least: Role },
): Promise<void> {
  if (writer === undefined) return;
  const own = await rolesOfWriter(transaction, writer);
  assertMayRestrictUser(own, await changedUser(transaction, user, writer), least);
}

/** The same for deciding how the user gets in. */
export async function assertMayAdmit(
  transaction: SqlTransaction,
  user: User,
  writer: MemberWriter | undefined,
): Promise<void> {
  if (writer === undefined) return;
  const own = await rolesOfWriter(transaction, writer);
  assertMayAdmitUser(own, await changedUser(transaction, user, writer));
}

/** An invitation is worth what its maker may do now. Rejects with `unknown_invitation`. */
export async function assertMakerStillMay(
  transaction: SqlTransaction,
  user: User,
  madeBy: string | null,
): Promise<void> {
  if (madeBy === null) return;
  try {
    await assertMayAdmit(transaction, user, { userId: madeBy, tokenId: null });
  } catch (error) {
    if (!(error instanceof BrumeError && error.code === 'forbidden_role')) throw error;
    throw new BrumeError('unknown_invitation');
  }
}

async function changedUser(
  transaction: SqlTransaction,
  { id }: User,
  writer: MemberWriter,
): Promise<ChangedUser> {
  return { roles: await rolesOf(transaction, id), isWriter: writer.userId === id };
}

/** None of who is disabled or gone. A token, whatever its maker may, looks after no users. */
async function rolesOfWriter(transaction: SqlTransaction, { userId, tokenId }: MemberWriter): Promise<Roles> {
  if (tokenId !== null || userId === null) throw new BrumeError('forbidden_role');
  const user = await selectUser(transaction, userId);
  if (user === undefined || user.id !== userId || user.isDisabled) return new Map();
  return rolesOf(transaction, userId);
}

async function rolesOf(transaction: SqlTransaction, userId: string): Promise<Roles> {
  return new Map((await selectOrganisationsOf(transaction, userId)).map(({ id, role }) => [id, role]));
}
