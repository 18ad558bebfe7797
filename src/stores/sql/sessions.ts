import type { Session } from '../../tenancy/user.ts';
import { integerOf, integerOrNullOf, textOf } from './row.ts';
import { deleteRows } from './row-sets.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

const COLUMNS = 's.id, s.user_id, s.created_at, s.expires_at, s.revoked_at';
/** How many that have ended a new one clears away. */
const CLEARED_PER_SESSION = 100;

/** False, and nothing is written, if there is no such user, or it is disabled. */
export async function insertSession(
  transaction: SqlTransaction,
  { id, userId, createdAtMs, expiresAtMs }: Omit<Session, 'revokedAtMs'>,
): Promise<boolean> {
  const inserted = await transaction.run(
    `insert into sessions (id, user_id, created_at, expires_at)
     select cast(?1 as text), u.id, cast(?3 as bigint), cast(?4 as bigint) from users u
     where u.id = ?2 and u.is_disabled = 0`,
    [id, userId, createdAtMs, expiresAtMs],
  );
  return inserted === 1;
}

/** Clears away a portion of those that have ended. */
export async function deleteEndedSessions(transaction: SqlTransaction, nowMs: number): Promise<void> {
  const rest = `where expires_at <= ?1 order by expires_at limit ${CLEARED_PER_SESSION}`;
  await deleteRows(transaction, 'sessions', rest, [nowMs]);
}

/** Undefined unless it, and its user, are good now. */
export async function selectLiveSession(
  sql: Reader,
  id: string,
  nowMs: number,
): Promise<Session | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from sessions s join users u on u.id = s.user_id
     where s.id = ?1 and s.revoked_at is null and s.expires_at > ?2 and u.is_disabled = 0`,
    [id, nowMs],
  );
  return rows.map(sessionOf)[0];
}

/** Those that have not ended by themselves, the latest first. */
export async function selectSessions(sql: Reader, userId: string, nowMs: number): Promise<Session[]> {
  const rows = await sql.all(
    `select ${COLUMNS} from sessions s
     where s.user_id = ?1 and s.expires_at > ?2
     order by s.created_at desc, s.id`,
    [userId, nowMs],
  );
  return rows.map(sessionOf);
}

/** Undefined if the user has no such session. An earlier revocation stands. */
export async function revokeSession(
  transaction: SqlTransaction,
  { id, userId }: Pick<Session, 'id' | 'userId'>,
  nowMs: number,
): Promise<Session | undefined> {
  const rows = await transaction.all(
    `update sessions set revoked_at = coalesce(revoked_at, ?3)
     where id = ?1 and user_id = ?2
     returning id, user_id, created_at, expires_at, revoked_at`,
    [id, userId, nowMs],
  );
  return rows.map(sessionOf)[0];
}

/** All but the one that is kept, if one is. Resolves with how many there were to revoke. */
export function revokeSessions(
  transaction: SqlTransaction,
  userId: string,
  nowMs: number,
  keptId = '',
): Promise<number> {
  return transaction.run(
    `update sessions set revoked_at = ?2
     where user_id = ?1 and revoked_at is null and expires_at > ?2 and id <> ?3`,
    [userId, nowMs, keptId],
  );
}

function sessionOf(row: Row): Session {
  return {
    id: textOf(row, 'id'),
    userId: textOf(row, 'user_id'),
    createdAtMs: integerOf(row, 'created_at'),
    expiresAtMs: integerOf(row, 'expires_at'),
    revokedAtMs: integerOrNullOf(row, 'revoked_at'),
  };
}
