import { BrumeError } from '../../errors/catalogue.ts';
import type { ApiKey } from '../../tenancy/api-key.ts';
import { DEFAULT_ORGANISATION_ID } from '../../tenancy/organisation.ts';
import type { Project } from '../../tenancy/project.ts';
import type { NewApiKey, TenancyStore } from '../../tenancy/tenancy-store.ts';
import { insertKey, revokeKey, selectKeys } from './api-keys.ts';
import { Changes, type ChangesOptions, LARGE_CHANGE_TIMEOUT_MS } from './changes.ts';
import { deleteProject, insertProject, selectProject, selectProjects } from './projects.ts';
import { randomId } from './random-id.ts';
import type { Sql } from './sql.ts';

/** Projects and keys in the database. */
export class SqlTenancyStore implements TenancyStore {
  readonly #sql: Sql;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#changes = new Changes(sql, options);
  }

  listProjects(): Promise<Project[]> {
    return selectProjects(this.#sql);
  }

  findProject(idOrName: string): Promise<Project | undefined> {
    return selectProject(this.#sql, idOrName);
  }

  createProject(name: string): Promise<Project> {
    return this.#changes.make(({ transaction, revision, nowMs }) =>
      insertProject(
        transaction,
        { id: randomId('prj'), name, organisationId: DEFAULT_ORGANISATION_ID, createdAtMs: nowMs },
        revision,
      ),
    );
  }

  deleteProject(id: string): Promise<void> {
    return this.#changes.make(({ transaction }) => deleteProject(transaction, id), {
      timeoutMs: LARGE_CHANGE_TIMEOUT_MS,
    });
  }

  async listKeys(projectId: string): Promise<ApiKey[]> {
    const keys = await selectKeys(this.#sql, projectId);
    if (keys.length === 0) await requireProject(this.#sql, projectId);
    return keys;
  }

  createKey(projectId: string, key: NewApiKey): Promise<ApiKey> {
    return this.#changes.makeIn(projectId, ({ transaction, nowMs }) =>
      insertKey(transaction, { id: randomId('key'), projectId, createdAtMs: nowMs }, key),
    );
  }

  revokeKey(projectId: string, keyId: string): Promise<ApiKey> {
    return this.#changes.makeIn(projectId, async ({ transaction, nowMs }) => {
      const key = await revokeKey(transaction, projectId, keyId, nowMs);
      if (key === undefined) throw new BrumeError('unknown_key');
      return key;
    });
  }
}

/** Rejects with `unknown_project`. */
export async function requireProject(sql: Pick<Sql, 'all'>, id: string): Promise<void> {
  const project = await selectProject(sql, id);
  if (project?.id !== id) throw new BrumeError('unknown_project');
}
