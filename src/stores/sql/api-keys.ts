import { type ApiKey, KEY_KINDS, SCOPES, type Scope } from '../../tenancy/api-key.ts';
import type { NewApiKey } from '../../tenancy/tenancy-store.ts';
import type { StoredKey } from '../cache/snapshot-source.ts';
import { choiceOf, integerOf, integerOrNullOf, textOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

const COLUMNS = 'id, project_id, name, kind, scopes, prefix, created_at, expires_at, revoked_at';

type Reader = Pick<SqlExecutor, 'all'>;

export async function selectKeys(sql: Reader, projectId: string): Promise<ApiKey[]> {
  const rows = await sql.all(
    `select ${COLUMNS} from api_keys where project_id = ?1 order by created_at, id`,
    [projectId],
  );
  return rows.map(apiKeyOf);
}

export async function selectKeyByHash(sql: Reader, sha256: string): Promise<ApiKey | undefined> {
  const rows = await sql.all(`select ${COLUMNS} from api_keys where sha256 = ?1`, [sha256]);
  return rows.map(apiKeyOf)[0];
}

/** Neither revoked nor expired, of those projects that changed after a revision. */
export async function selectUsableKeysChangedAfter(
  sql: Reader,
  revision: number,
  nowMs: number,
): Promise<StoredKey[]> {
  const rows = await sql.all(
    `select k.id, k.project_id, k.name, k.kind, k.scopes, k.prefix, k.sha256, k.created_at, k.expires_at
     from api_keys k join projects p on p.id = k.project_id
     where p.revision > ?1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?2)`,
    [revision, nowMs],
  );
  return rows.map((row) => ({
    id: textOf(row, 'id'),
    projectId: textOf(row, 'project_id'),
    name: textOf(row, 'name'),
    kind: textOf(row, 'kind'),
    scopes: textOf(row, 'scopes'),
    prefix: textOf(row, 'prefix'),
    sha256: textOf(row, 'sha256'),
    createdAtMs: integerOf(row, 'created_at'),
    expiresAtMs: integerOrNullOf(row, 'expires_at'),
  }));
}

export async function insertKey(
  transaction: SqlTransaction,
  { id, projectId, createdAtMs }: { id: string; projectId: string; createdAtMs: number },
  { name, kind, scopes, prefix, sha256, expiresAtMs }: NewApiKey,
): Promise<ApiKey> {
  await transaction.run(
    `insert into api_keys (id, project_id, name, kind, scopes, prefix, sha256, created_at, expires_at, revoked_at)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, null)`,
    [id, projectId, name, kind, JSON.stringify(scopes), prefix, sha256, createdAtMs, expiresAtMs],
  );
  return {
    id,
    projectId,
    name,
    kind,
    scopes: [...scopes],
    prefix,
    createdAtMs,
    expiresAtMs,
    revokedAtMs: null,
  };
}

/** Undefined if the project has no such key. An earlier revocation stands. */
export async function revokeKey(
  transaction: SqlTransaction,
  projectId: string,
  keyId: string,
  nowMs: number,
): Promise<ApiKey | undefined> {
  const rows = await transaction.all(
    `update api_keys set revoked_at = coalesce(revoked_at, ?3)
     where id = ?1 and project_id = ?2
     returning ${COLUMNS}`,
    [keyId, projectId, nowMs],
  );
  return rows.map(apiKeyOf)[0];
}

function apiKeyOf(row: Row): ApiKey {
  return {
    id: textOf(row, 'id'),
    projectId: textOf(row, 'project_id'),
    name: textOf(row, 'name'),
    kind: choiceOf(row, 'kind', KEY_KINDS),
    scopes: scopesOf(textOf(row, 'scopes')),
    prefix: textOf(row, 'prefix'),
    createdAtMs: integerOf(row, 'created_at'),
    expiresAtMs: integerOrNullOf(row, 'expires_at'),
    revokedAtMs: integerOrNullOf(row, 'revoked_at'),
  };
}

/** Scopes that this version doesn't know give nothing. */
function scopesOf(json: string): Scope[] {
  const stored: unknown = JSON.parse(json);
  return Array.isArray(stored) ? SCOPES.filter((scope) => stored.includes(scope)) : [];
}
