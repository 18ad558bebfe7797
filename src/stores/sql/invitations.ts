import { textOf } from './row.ts';
import type { SqlExecutor, SqlTransaction } from './sql.ts';

export async function insertInvitation(
  transaction: SqlTransaction,
  invitation: { readonly sha256: string; readonly userId: string; readonly expiresAtMs: number },
  nowMs: number,
): Promise<void> {
  await transaction.run(
    'insert into invitations (sha256, user_id, created_at, expires_at) values (?1, ?2, ?3, ?4)',
    [invitation.sha256, invitation.userId, nowMs, invitation.expiresAtMs],
  );
}

/** The user whom it invites, if it is good now and they are not disabled. */
export async function selectInvited(
  sql: Pick<SqlExecutor, 'all'>,
  sha256: string,
  nowMs: number,
): Promise<string | undefined> {
  const rows = await sql.all(
    `select i.user_id from invitations i join users u on u.id = i.user_id
     where i.sha256 = ?1 and i.used_at is null and i.expires_at > ?2 and u.is_disabled = 0`,
    [sha256, nowMs],
  );
  return rows.map((row) => textOf(row, 'user_id'))[0];
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
