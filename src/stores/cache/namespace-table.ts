import type { Namespace } from '../../policy/namespace.ts';
import { parseRule } from '../../policy/rule-input.ts';
import type { StoredNamespace } from './snapshot-source.ts';

interface Entry {
  readonly ruleText: string;
  readonly namespace: Namespace;
}

/** The namespaces of all projects, by project and name. */
export class NamespaceTable {
  readonly #projects = new Map<string, ReadonlyMap<string, Entry>>();
  readonly #onUnreadable: (namespace: StoredNamespace, error: unknown) => void;

  /** `onUnreadable` hears of rules that can't be parsed. */
  constructor(onUnreadable: (namespace: StoredNamespace, error: unknown) => void) {
    this.#onUnreadable = onUnreadable;
  }

  find(projectId: string, name: string): Namespace | undefined {
    return this.#projects.get(projectId)?.get(name)?.namespace;
  }

  projectIds(): Iterable<string> {
    return this.#projects.keys();
  }

  drop(projectId: string): void {
    this.#projects.delete(projectId);
  }

  /** Replaces all namespaces of a project at once. */
  replace(projectId: string, stored: readonly StoredNamespace[]): void {
    const before = new Map(
      [...(this.#projects.get(projectId)?.values() ?? [])].map((e) => [e.namespace.id, e]),
    );
    const after = new Map<string, Entry>();
    for (const row of stored) {
      const entry = this.#entryOf(row, before.get(row.id));
      if (entry !== undefined) after.set(row.name, entry);
    }
    this.#projects.set(projectId, after);
  }

  /** One rule object a version, so that whatever is derived from it can be kept by its identity. */
  #entryOf(row: StoredNamespace, before: Entry | undefined): Entry | undefined {
    if (before?.ruleText === row.ruleText && before.namespace.version === row.version) return before;
    const { ruleText, ...rest } = row;
    try {
      return { ruleText, namespace: Object.freeze({ ...rest, rule: parseRule(JSON.parse(ruleText)) }) };
    } catch (error) {
      this.#onUnreadable(row, error);
      // A limit that held is better than none: a newer version of Brume may have written this rule.
      return before;
    }
  }
}
