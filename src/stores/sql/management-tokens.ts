import type { ManagementToken } from '../../tenancy/management-token.ts';
import { ROLES } from '../../tenancy/role.ts';
import { choiceOf, integerOf, integerOrNullOf, textOf, textOrNullOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

const COLUMNS = `id, organisation_id, name, role, prefix, made_by, created_at, expires_at, revoked_at,
  last_used_at`;

/** In the order in which they were made. */
export async function selectTokens(sql: Reader, organisationId: string): Promise<ManagementToken[]> {
  const rows = await sql.all(
    `select ${COLUMNS} from management_tokens where organisation_id = ?1 order by created_at, id`,
    [organisationId],
  );
  return rows.map(tokenOf);
}

export async function selectToken(
  sql: Reader,
  organisationId: string,
  id: string,
): Promise<ManagementToken | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from management_tokens where id = ?1 and organisation_id = ?2`,
    [id, organisationId],
  );
  return rows.map(tokenOf)[0];
}

/** Undefined unless it is good now. */
export async function selectUsableToken(
  sql: Reader,
  sha256: string,
  nowMs: number,
): Promise<ManagementToken | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from management_tokens
     where sha256 = ?1 and revoked_at is null and expires_at > ?2`,
    [sha256, nowMs],
  );
  return rows.map(tokenOf)[0];
}

export async function insertToken(
  transaction: SqlTransaction,
  token: ManagementToken,
  sha256: string,
): Promise<void> {
  const { id, organisationId, name, role, prefix, madeBy, createdAtMs, expiresAtMs } = token;
  await transaction.run(
    `insert into management_tokens (id, organisation_id, name, role, sha256, prefix, made_by, created_at,
       expires_at)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    [id, organisationId, name, role, sha256, prefix, madeBy, createdAtMs, expiresAtMs],
  );
}

export async function updateTokenRevoked(
  transaction: SqlTransaction,
  { id, revokedAtMs }: Pick<ManagementToken, 'id' | 'revokedAtMs'>,
): Promise<void> {
  await transaction.run('update management_tokens set revoked_at = ?2 where id = ?1', [id, revokedAtMs]);
}

/** Those that somebody made, in one organisation or in all. An earlier revocation stands. */
export async function revokeTokensMadeBy(
  transaction: SqlTransaction,
  { userId, organisationId }: { readonly userId: string; readonly organisationId: string | null },
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `update management_tokens set revoked_at = ?3
     where made_by = ?1 and revoked_at is null
       and (cast(?2 as text) is null or organisation_id = cast(?2 as text))`,
    [userId, organisationId, nowMs],
  );
}

/** Unless it was used after `unlessAfterMs` already. */
export async function updateTokenUse(
  transaction: SqlTransaction,
  id: string,
  { atMs, unlessAfterMs }: { readonly atMs: number; readonly unlessAfterMs: number },
): Promise<void> {
  await transaction.run(
    `update management_tokens set last_used_at = ?2
     where id = ?1 and (last_used_at is null or last_used_at <= ?3)`,
    [id, atMs, unlessAfterMs],
  );
}

function tokenOf(row: Row): ManagementToken {
  return {
    id: textOf(row, 'id'),
    organisationId: textOf(row, 'organisation_id'),
    name: textOf(row, 'name'),
    role: choiceOf(row, 'role', ROLES),
    prefix: textOf(row, 'prefix'),
    madeBy: textOrNullOf(row, 'made_by'),
    createdAtMs: integerOf(row, 'created_at'),
    expiresAtMs: integerOf(row, 'expires_at'),
    revokedAtMs: integerOrNullOf(row, 'revoked_at'),
    lastUsedAtMs: integerOrNullOf(row, 'last_used_at'),
  };
}
