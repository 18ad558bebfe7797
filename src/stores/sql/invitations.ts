import { textOf, textOrNullOf } from './row.ts';
import type { SqlExecutor, SqlTransaction } from './sql.ts';

interface Invitation {
  /** Whom it invites. */
  readonly userId: string;
  /** Null: whoever administers the machine. */
  readonly madeBy: string | null;
}

export async function insertInvitation(
  transaction: SqlTransaction,
  invitation: Invitation & { readonly sha256: string; readonly expiresAtMs: number },
  nowMs: number,
): Promise<void> {
  const { sha256, userId, expiresAtMs, madeBy } = invitation;
  await transaction.run(
    `insert into invitations (sha256, user_id, created_at, expires_at, made_by)
     values (?1, ?2, ?3, ?4, ?5)`,
    [sha256, userId, nowMs, expiresAtMs, madeBy],
  );
}

/** If it is good now and whom it invites is not disabled. Whether its maker still may is asked elsewhere. */
export async function selectInvited(
  sql: Pick<SqlExecutor, 'all'>,
  sha256: string,
  nowMs: number,
): Promise<Invitation | undefined> {
  const rows = await sql.all(
    `select i.user_id, i.made_by from invitations i join users u on u.id = i.user_id
     where i.sha256 = ?1 and i.used_at is null and i.expires_at > ?2 and u.is_disabled = 0`,
    [sha256, nowMs],
  );
  return rows.map((row) => ({ userId: textOf(row, 'user_id'), madeBy: textOrNullOf(row, 'made_by') }))[0];
}

export async function useInvitation(
  transaction: SqlTransaction,
  sha256: string,
  nowMs: number,
): Promise<void> {
  await transaction.run('update invitations set used_at = ?2 where sha256 = ?1', [sha256, nowMs]);
}

/** All of a user, and those of others that have ended. */
export async function deleteInvitations(
  transaction: SqlTransaction,
  userId: string,
  nowMs: number,
): Promise<void> {
  await transaction.run('delete from invitations where user_id = ?1 or expires_at <= ?2', [userId, nowMs]);
}

/** All that somebody made for others. */
export async function deleteInvitationsMadeBy(transaction: SqlTransaction, userId: string): Promise<void> {
  await transaction.run('delete from invitations where made_by = ?1', [userId]);
}
