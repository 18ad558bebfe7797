import type { Namespace } from '../../policy/namespace.ts';
import { parseRule } from '../../policy/rule-input.ts';
import type { ProjectNamespaces } from './project-namespaces.ts';
import type { StoredNamespace } from './snapshot-source.ts';

interface Entry {
  readonly row: StoredNamespace;
  /** Undefined if the rule can't be read, and none before it could. */
  readonly namespace: Namespace | undefined;
}

interface Project {
  readonly revision: number;
  readonly callsPerDay: number | null;
  readonly byName: ReadonlyMap<string, Entry>;
}

const NO_PROJECT: Project = { revision: -1, callsPerDay: null, byName: new Map() };

/** All projects, and their namespaces by name. */
export class NamespaceTable {
  readonly #projects = new Map<string, Project>();
  readonly #byId = new Map<string, Entry>();
  readonly #onUnreadable: (namespace: StoredNamespace, error: unknown) => void;

  /** `onUnreadable` hears of rules that can't be parsed. */
  constructor(onUnreadable: (namespace: StoredNamespace, error: unknown) => void) {
    this.#onUnreadable = onUnreadable;
  }

  /** How many namespaces there are. */
  get count(): number {
    return this.#byId.size;
  }

  find(projectId: string, name: string): Namespace | undefined {
    return this.#projects.get(projectId)?.byName.get(name)?.namespace;
  }

  projectIds(): Iterable<string> {
    return this.#projects.keys();
  }

  /** That of the project's last change; undefined if it isn't known. */
  revisionOf(projectId: string): number | undefined {
    return this.#projects.get(projectId)?.revision;
  }

  /** Null: no ceiling, or no such project. */
  callsPerDayOf(projectId: string): number | null {
    return (this.#projects.get(projectId) ?? NO_PROJECT).callsPerDay;
  }

  /** As it is decided by; also of a namespace whose rule can't be read. */
  rowOf(namespaceId: string): StoredNamespace | undefined {
    return this.#byId.get(namespaceId)?.row;
  }

  rowsOf(projectId: string): StoredNamespace[] {
    return [...(this.#projects.get(projectId) ?? NO_PROJECT).byName.values()].map(({ row }) => row);
  }

  /** Gives the ids of the namespaces that are gone. */
  drop(projectId: string): readonly string[] {
    const gone = this.replace({ id: projectId, revision: NO_PROJECT.revision, namespaces: [] });
    this.#projects.delete(projectId);
    return gone;
  }

  /** Replaces a project with all its namespaces at once, and gives the ids of those that are gone. */
  replace({ id, revision, namespaces: stored, callsPerDay = null }: ProjectNamespaces): readonly string[] {
    const before = this.#projects.get(id) ?? NO_PROJECT;
    const entries = stored.map((row) => this.#entryOf(row, this.#byId.get(row.id)));
    const kept = new Set(stored.map((row) => row.id));
    const gone = [...before.byName.values()].map(({ row }) => row.id).filter((known) => !kept.has(known));
    for (const known of gone) this.#byId.delete(known);
    stored.forEach((row, index) => {
      this.#byId.set(row.id, entries[index] as Entry);
    });
    const byName = new Map(stored.map(({ name }, index) => [name, entries[index] as Entry]));
    this.#projects.set(id, { revision, callsPerDay, byName });
    return gone;
  }

  /** One rule object a version, so that whatever is derived from it can be kept by its identity. */
  #entryOf(row: StoredNamespace, before: Entry | undefined): Entry {
    if (before?.row.ruleText === row.ruleText && before.row.version === row.version) return before;
    const { ruleText, ...rest } = row;
    try {
      return { row, namespace: Object.freeze({ ...rest, rule: parseRule(JSON.parse(ruleText)) }) };
    } catch (error) {
      this.#onUnreadable(row, error);
      // A limit that held is better than none: a newer version of Brume may have written this rule.
      return before?.namespace === undefined ? { row, namespace: undefined } : before;
    }
  }
}
