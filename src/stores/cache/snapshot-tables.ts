import type { ExceptionRows } from './exception-rows.ts';
import { ExceptionTable } from './exception-table/exception-table.ts';
import { KeyTable } from './key-table.ts';
import { NamespaceTable } from './namespace-table.ts';
import type { ProjectNamespaces } from './project-namespaces.ts';
import type { StoredNamespace } from './snapshot-source.ts';

/** The whole configuration in memory, as far as checks need it. */
export class SnapshotTables {
  readonly namespaces: NamespaceTable;
  readonly keys = new KeyTable();
  /** Another one after everything was read anew. */
  exceptions: ExceptionRows = SnapshotTables.newExceptions();

  /** `onUnreadable` hears of rules that can't be parsed. */
  constructor(onUnreadable: (namespace: StoredNamespace, error: unknown) => void) {
    this.namespaces = new NamespaceTable(onUnreadable);
  }

  static newExceptions(): ExceptionRows {
    return new ExceptionTable();
  }

  /** Replaces a project and its namespaces; the exceptions of those that are gone go with them. */
  replaceProject(project: ProjectNamespaces): void {
    const gone = this.namespaces.replace(project);
    for (const id of gone) this.exceptions.dropNamespace(id);
  }

  dropProject(projectId: string): void {
    for (const id of this.namespaces.drop(projectId)) this.exceptions.dropNamespace(id);
    this.keys.drop(projectId);
  }
}
