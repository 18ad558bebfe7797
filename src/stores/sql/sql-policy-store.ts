import { BrumeError } from '../../errors/catalogue.ts';
import type { Namespace, Rule } from '../../policy/namespace.ts';
import type { PolicyStore } from '../../policy/policy-store.ts';
import type { Actor, Versioned } from '../../tenancy/actor.ts';
import { assertVersion } from './assert-version.ts';
import { ChangeRecord } from './change-record.ts';
import { Changes, type ChangesOptions, LARGE_CHANGE_TIMEOUT_MS } from './changes.ts';
import { addNamespace, changeNamespace, removeNamespace } from './namespace-writes.ts';
import {
  type NamespaceRow,
  namespaceOf,
  selectNamespace,
  selectNamespaces,
  textOfRule,
} from './namespaces.ts';
import type { Sql, SqlTransaction } from './sql.ts';
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
    return namespaces.map(namespaceOf);
  }

  async findNamespace(projectId: string, name: string): Promise<Namespace | undefined> {
    const namespace = await selectNamespace(this.#sql, projectId, name);
    return namespace && namespaceOf(namespace);
  }

  createNamespace(projectId: string, name: string, rule: Rule, actor: Actor): Promise<Namespace> {
    return this.#changes.makeIn(projectId, actor, async (change) => {
      const record = new ChangeRecord(change, projectId);
      const { ruleText: _, ...created } = await addNamespace(record, name, textOfRule(rule));
      const deed = await record.close({ action: 'namespace.create', target: name });
      return { value: { ...created, rule }, deed };
    });
  }

  updateNamespace(
    projectId: string,
    name: string,
    rule: Rule,
    { actor, expectedVersion }: Versioned,
  ): Promise<Namespace> {
    return this.#changes.makeIn(projectId, actor, async (change) => {
      const record = new ChangeRecord(change, projectId);
      const before = await requireNamespace(change.transaction, projectId, name);
      assertVersion(before, expectedVersion);
      const { ruleText: _, ...changed } = await changeNamespace(record, before, textOfRule(rule));
      const deed = await record.close({ action: 'namespace.update', target: name });
      return { value: { ...changed, rule }, deed };
    });
  }

  deleteNamespace(projectId: string, name: string, { actor, expectedVersion }: Versioned): Promise<void> {
    return this.#changes.makeIn(
      projectId,
      actor,
      async (change) => {
        const record = new ChangeRecord(change, projectId);
        const before = await requireNamespace(change.transaction, projectId, name);
        assertVersion(before, expectedVersion);
        await removeNamespace(record, before);
        return {
          value: undefined,
          deed: await record.close({ action: 'namespace.delete', target: name }),
        };
      },
      { timeoutMs: LARGE_CHANGE_TIMEOUT_MS },
    );
  }
}

async function requireNamespace(
  transaction: SqlTransaction,
  projectId: string,
  name: string,
): Promise<NamespaceRow> {
  const namespace = await selectNamespace(transaction, projectId, name);
  if (namespace === undefined) throw new BrumeError('unknown_namespace');
  return namespace;
}
