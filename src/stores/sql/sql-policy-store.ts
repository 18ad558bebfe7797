import { BrumeError } from '../../errors/catalogue.ts';
import type { Namespace, Rule } from '../../policy/namespace.ts';
import type { PolicyStore } from '../../policy/policy-store.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import {
  deleteNamespace,
  insertNamespace,
  selectNamespace,
  selectNamespaces,
  updateNamespace,
} from './namespaces.ts';
import { randomId } from './random-id.ts';
import type { Sql } from './sql.ts';
import { requireProject } from './sql-tenancy-store.ts';

/** Namespaces in the database. */
export class SqlPolicyStore implements PolicyStore {
  readonly #sql: Sql;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#changes = new Changes(sql, options);
  }

  async listNamespaces(projectId: string): Promise<Namespace[]> {
    const namespaces = await selectNamespaces(this.#sql, projectId);
    if (namespaces.length === 0) await requireProject(this.#sql, projectId);
    return namespaces;
  }

  findNamespace(projectId: string, name: string): Promise<Namespace | undefined> {
    return selectNamespace(this.#sql, projectId, name);
  }

  createNamespace(projectId: string, name: string, rule: Rule): Promise<Namespace> {
    return this.#changes.makeIn(projectId, ({ transaction, nowMs }) =>
      insertNamespace(transaction, { id: randomId('ns'), projectId, name, rule, createdAtMs: nowMs }),
    );
  }

  updateNamespace(projectId: string, name: string, rule: Rule): Promise<Namespace> {
    return this.#changes.makeIn(projectId, async ({ transaction, nowMs }) => {
      const changed = await updateNamespace(transaction, { projectId, name, rule, updatedAtMs: nowMs });
      if (changed === undefined) throw new BrumeError('unknown_namespace');
      return changed;
    });
  }

  deleteNamespace(projectId: string, name: string): Promise<void> {
    return this.#changes.makeIn(projectId, async ({ transaction }) => {
      if (!(await deleteNamespace(transaction, projectId, name))) throw new BrumeError('unknown_namespace');
    });
  }
}
