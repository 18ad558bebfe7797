import type { SnapshotSource } from '../cache/snapshot-source.ts';
import { findInstallation, type Installation } from './installation.ts';
import { type NamespaceRow, selectNamespacesChangedAfter } from './namespaces.ts';
import { selectProjectRevisions } from './projects.ts';
import type { Sql } from './sql.ts';

/** The database as the snapshot reads it. */
export class SqlSnapshotSource implements SnapshotSource {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  installation(): Promise<Installation> {
    return findInstallation(this.#sql);
  }

  projectRevisions(): Promise<ReadonlyMap<string, number>> {
    return selectProjectRevisions(this.#sql);
  }

  namespacesChangedAfter(revision: number): Promise<readonly NamespaceRow[]> {
    return selectNamespacesChangedAfter(this.#sql, revision);
  }
}
