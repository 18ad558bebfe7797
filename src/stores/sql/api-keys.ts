import { type ApiKey, KEY_KINDS, SCOPES, type Scope } from '../../tenancy/api-key.ts';
import type { ManagedKey, NewApiKey } from '../../tenancy/tenancy-store.ts';
import type { StoredKey } from '../cache/snapshot-source.ts';
import { isOfChangedProject } from './projects.ts';
import { choiceOf, integerOf, integerOrNullOf, textOf, textOrNullOf } from './row.ts';
import { isAmong } from './row-sets.ts';
import type { Row, Sql, SqlDialect, SqlExecutor, SqlTransaction } from './sql.ts';

const COLUMNS = 'id, project_id, name, kind, scopes, prefix, created_at, expires_at, revoked_at';
const MANAGED_COLUMNS = `${COLUMNS}, replaces, last_used_at`;

type Reader = Pick<SqlExecutor, 'all'>;

export async function selectKeys(sql: Reader, projectId: string): Promise<ManagedKey[]> {
  const rows = await sql.all(
    `select ${MANAGED_COLUMNS} from api_keys where project_id = ?1 order by created_at, id`,
    [projectId],
  );
  return rows.map(managedKeyOf);
}

export async function selectKey(
  sql: Reader,
  projectId: string,
  keyId: string,
): Promise<ManagedKey | undefined> {
  const rows = await sql.all(`select ${MANAGED_COLUMNS} from api_keys where id = ?1 and project_id = ?2`, [
    keyId,
    projectId,
  ]);
  return rows.map(managedKeyOf)[0];
}

export async function selectKeyByHash(sql: Reader, sha256: string): Promise<ApiKey | undefined> {
  const rows = await sql.all(`select ${COLUMNS} from api_keys where sha256 = ?1`, [sha256]);
  return rows.map(apiKeyOf)[0];
}

/** Neither revoked nor expired, of those projects that changed after a revision. */
export async function selectUsableKeysChangedAfter(
  sql: Pick<Sql, 'all' | 'dialect'>,
  revision: number,
  nowMs: number,
): Promise<StoredKey[]> {
  const rows = await sql.all(
    `select k.id, k.project_id, k.name, k.kind, k.scopes, k.prefix, k.sha256, k.created_at, k.expires_at
     from api_keys k
     where ${isOfChangedProject(sql.dialect, 'k.project_id')} and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?2)`,
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
  {
    id,
    projectId,
    createdAtMs,
    replaces = null,
  }: { id: string; projectId: string; createdAtMs: number; replaces?: string | null },
  { name, kind, scopes, prefix, sha256, expiresAtMs }: NewApiKey,
): Promise<ManagedKey> {
  await transaction.run(
    `insert into api_keys (id, project_id, name, kind, scopes, prefix, sha256, created_at, expires_at, revoked_at,
       replaces)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, null, ?10)`,
    [id, projectId, name, kind, JSON.stringify(scopes), prefix, sha256, createdAtMs, expiresAtMs, replaces],
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
    replaces,
    lastUsedAtMs: null,
  };
}

export async function updateKeyEnd(
  transaction: SqlTransaction,
  { id, expiresAtMs, revokedAtMs }: Pick<ApiKey, 'id' | 'expiresAtMs' | 'revokedAtMs'>,
): Promise<void> {
  await transaction.run('update api_keys set expires_at = ?2, revoked_at = ?3 where id = ?1', [
    id,
    expiresAtMs,
    revokedAtMs,
  ]);
}

/** A use within so long of the one on record is not written. */
const USE_NOTED_EVERY_MS = 60_000;

/** By id. At most a few hundred: one statement. */
export async function updateKeyUses(
  transaction: SqlTransaction,
  uses: ReadonlyMap<string, number>,
): Promise<void> {
  const given = GIVEN_USES[transaction.dialect];
  const isGiven = isAmong[transaction.dialect]('id', `select given.id from ${given}`);
  const givenAt = `(select given.at from ${given} where given.id = api_keys.id)`;
  await transaction.run(
    `update api_keys set last_used_at = ${givenAt}
     where ${isGiven} and (last_used_at is null or last_used_at <= ${givenAt} - ${USE_NOTED_EVERY_MS})`,
    [JSON.stringify([...uses].map(([id, at]) => ({ id, at })))],
  );
}

const GIVEN_USES: Readonly<Record<SqlDialect, string>> = {
  postgres: 'json_to_recordset(cast(?1 as json)) as given (id text, at bigint)',
  sqlite: `(select value ->> 'id' as id, value ->> 'at' as at from json_each(?1)) as given`,
};

function managedKeyOf(row: Row): ManagedKey {
  return {
    ...apiKeyOf(row),
    replaces: textOrNullOf(row, 'replaces'),
    lastUsedAtMs: integerOrNullOf(row, 'last_used_at'),
  };
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
