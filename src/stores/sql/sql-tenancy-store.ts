import { BrumeError } from '../../errors/catalogue.ts';
import type { Actor, Versioned } from '../../tenancy/actor.ts';
import { isUsable } from '../../tenancy/api-key.ts';
import { DEFAULT_ORGANISATION_ID } from '../../tenancy/organisation.ts';
import type { Project } from '../../tenancy/project.ts';
import type {
  KeyRotation,
  ManagedKey,
  NewApiKey,
  RotatedKey,
  TenancyStore,
} from '../../tenancy/tenancy-store.ts';
import { insertKey, selectKey, selectKeys, updateKeyEnd } from './api-keys.ts';
import { assertVersion } from './assert-version.ts';
import { deedOf } from './change.ts';
import { Changes, type ChangesOptions, LARGE_CHANGE_TIMEOUT_MS } from './changes.ts';
import { requireOrganisation } from './organisations.ts';
import { deleteProject, insertProject, selectProject, selectProjects } from './projects.ts';
import { randomId } from './random-id.ts';
import type { Sql, SqlTransaction } from './sql.ts';

/** Projects and keys in the database. */
export class SqlTenancyStore implements TenancyStore {
  readonly #sql: Sql;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#changes = new Changes(sql, options);
  }

  listProjects({ organisationId }: { readonly organisationId?: string } = {}): Promise<Project[]> {
    return selectProjects(this.#sql, organisationId);
  }

  findProject(idOrName: string): Promise<Project | undefined> {
    return selectProject(this.#sql, idOrName);
  }

  createProject(
    { name, organisationId = DEFAULT_ORGANISATION_ID }: { name: string; organisationId?: string },
    actor: Actor,
  ): Promise<Project> {
    return this.#changes.make(actor, async ({ transaction, revision, nowMs }) => {
      await requireOrganisation(transaction, organisationId);
      const project = { id: randomId('prj'), name, organisationId, createdAtMs: nowMs };
      const value = await insertProject(transaction, project, revision);
      const deed = deedOf('project.create', name, null, value);
      return { value, deed, organisationId, projectId: value.id };
    });
  }

  deleteProject(id: string, { actor, expectedVersion }: Versioned): Promise<void> {
    return this.#changes.make(
      actor,
      async ({ transaction }) => {
        const project = await requireProject(transaction, id);
        assertVersion(project, expectedVersion);
        await deleteProject(transaction, id);
        const deed = deedOf('project.delete', project.name, project, null);
        return { value: undefined, deed, organisationId: project.organisationId, projectId: id };
      },
      { timeoutMs: LARGE_CHANGE_TIMEOUT_MS },
    );
  }

  async listKeys(projectId: string): Promise<ManagedKey[]> {
    const keys = await selectKeys(this.#sql, projectId);
    if (keys.length === 0) await requireProject(this.#sql, projectId);
    return keys;
  }

  createKey(projectId: string, key: NewApiKey, actor: Actor): Promise<ManagedKey> {
    return this.#changes.makeIn(projectId, actor, async ({ transaction, nowMs }) => {
      const value = await insertKey(transaction, { id: randomId('key'), projectId, createdAtMs: nowMs }, key);
      return { value, deed: deedOf('key.create', value.id, null, plainKey(value)) };
    });
  }

  rotateKey(
    projectId: string,
    keyId: string,
    { overlapMs, expiresAtMs: wantedEndMs, ...secret }: KeyRotation,
    actor: Actor,
  ): Promise<RotatedKey> {
    return this.#changes.makeIn(projectId, actor, async ({ transaction, nowMs }) => {
      const before = await requireKey(transaction, projectId, keyId);
      if (!isUsable(before, nowMs)) {
        const detail = "This key's end has come: it was revoked, or has expired. Create a new one.";
        throw new BrumeError('key_ended', { detail });
      }
      const newEndMs = wantedEndMs === undefined ? await keptEndMs(transaction, before, nowMs) : wantedEndMs;
      const expiresAtMs = Math.min(before.expiresAtMs ?? Number.MAX_SAFE_INTEGER, nowMs + overlapMs);
      const replaced = { ...before, expiresAtMs };
      await updateKeyEnd(transaction, replaced);
      const { name, kind, scopes } = before;
      const created = await insertKey(
        transaction,
        { id: randomId('key'), projectId, createdAtMs: nowMs, replaces: keyId },
        { name, kind, scopes, expiresAtMs: newEndMs, ...secret },
      );
      const after = { replaced: plainKey(replaced), created: plainKey(created) };
      return { value: { created, replaced }, deed: deedOf('key.rotate', keyId, plainKey(before), after) };
    });
  }

  revokeKey(projectId: string, keyId: string, actor: Actor): Promise<ManagedKey> {
    return this.#changes.makeIn(projectId, actor, async ({ transaction, nowMs }) => {
      const before = await requireKey(transaction, projectId, keyId);
      const value = { ...before, revokedAtMs: before.revokedAtMs ?? nowMs };
      await updateKeyEnd(transaction, value);
      return { value, deed: deedOf('key.revoke', keyId, plainKey(before), plainKey(value)) };
    });
  }
}

/**
 * The end that a key was meant to have. One that was rotated before ends with its overlap, and the key that
 * took its place has what it had.
 */
async function keptEndMs(sql: Pick<Sql, 'all'>, key: ManagedKey, nowMs: number): Promise<number | null> {
  const keys = await selectKeys(sql, key.projectId);
  const { expiresAtMs } = keys.findLast(({ replaces }) => replaces === key.id) ?? key;
  if (expiresAtMs === null || expiresAtMs > nowMs) return expiresAtMs;
  const detail = 'expiresAt must be said: the end that the new key would keep has come.';
  throw new BrumeError('bad_request', { field: 'expiresAt', detail });
}

/** Rejects with `unknown_project`. */
export async function requireProject(sql: Pick<Sql, 'all'>, id: string): Promise<Project> {
  const project = await selectProject(sql, id);
  if (project?.id !== id) throw new BrumeError('unknown_project');
  return project;
}

async function requireKey(
  transaction: SqlTransaction,
  projectId: string,
  keyId: string,
): Promise<ManagedKey> {
  const key = await selectKey(transaction, projectId, keyId);
  if (key === undefined) throw new BrumeError('unknown_key');
  return key;
}

/** As the audit keeps it: without the four characters of the secret that its prefix has. */
function plainKey({ prefix: _, lastUsedAtMs: __, projectId: ___, ...key }: ManagedKey) {
  return key;
}
