import type { LinkedIdentity } from '../../tenancy/user.ts';
import { integerOf, textOf } from './row.ts';
import type { SqlExecutor, SqlTransaction } from './sql.ts';

interface IdentityOfUser extends Pick<LinkedIdentity, 'issuer' | 'subject'> {
  readonly userId: string;
}

/** By issuer and subject. */
export async function selectIdentities(
  sql: Pick<SqlExecutor, 'all'>,
  userId: string,
): Promise<LinkedIdentity[]> {
  const rows = await sql.all(
    'select issuer, subject, created_at from identities where user_id = ?1 order by issuer, subject',
    [userId],
  );
  return rows.map((row) => ({
    issuer: textOf(row, 'issuer'),
    subject: textOf(row, 'subject'),
    createdAtMs: integerOf(row, 'created_at'),
  }));
}

/** Rejects with `conflict` if it is somebody's already. */
export async function insertIdentity(
  transaction: SqlTransaction,
  { issuer, subject, userId }: IdentityOfUser,
  nowMs: number,
): Promise<void> {
  await transaction.run(
    'insert into identities (issuer, subject, user_id, created_at) values (?1, ?2, ?3, ?4)',
    [issuer, subject, userId, nowMs],
  );
}

/** False if the user has no such identity. */
export async function deleteIdentity(
  transaction: SqlTransaction,
  { issuer, subject, userId }: IdentityOfUser,
): Promise<boolean> {
  const deleted = await transaction.run(
    'delete from identities where issuer = ?1 and subject = ?2 and user_id = ?3',
    [issuer, subject, userId],
  );
  return deleted === 1;
}
