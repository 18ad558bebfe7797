import type { ExceptionRow } from './exception-rows.ts';
import type { ProjectNamespaces } from './project-namespaces.ts';
import type { RemovedException, StoredKey } from './snapshot-source.ts';
import type { SnapshotTables } from './snapshot-tables.ts';

/** What a refresh changed in the tables. */
export interface SnapshotChange {
  /** All namespaces of each project that changed. */
  readonly projects: readonly ProjectNamespaces[];
  readonly goneProjects: readonly string[];
  readonly keys: readonly StoredKey[];
  /** Hashes. */
  readonly goneKeys: readonly string[];
  readonly exceptions: readonly ExceptionRow[];
  readonly goneExceptions: readonly Pick<RemovedException, 'namespaceId' | 'kind' | 'match'>[];
}

/** How current the tables are. */
export interface Confirmation {
  readonly revision: number;
  /** Epoch milliseconds at which the store was asked. */
  readonly confirmedAtMs: number;
}

/** Keeps the snapshot beyond the process. Its calls return at once: nobody waits for a disk. */
export interface SnapshotKeeper {
  /** `change` is undefined where it is too large to be told: then the tables tell. */
  changed(change: SnapshotChange | undefined, confirmation: Confirmation): void;
  confirmed(confirmation: Confirmation): void;
}

/** Everything, as it is at the moment. */
export interface SnapshotContents extends Confirmation {
  readonly identifierSecret: Uint8Array;
  readonly tables: SnapshotTables;
}

/** Brings the tables to what the change led to. */
export function applyChange(tables: SnapshotTables, change: SnapshotChange): void {
  for (const exception of change.exceptions) tables.exceptions.upsert(exception);
  for (const id of change.goneProjects) tables.dropProject(id);
  for (const project of change.projects) tables.replaceProject(project);
  for (const exception of change.goneExceptions) tables.exceptions.remove(exception);
  for (const sha256 of change.goneKeys) tables.keys.remove(sha256);
  for (const key of change.keys) tables.keys.put(key);
}
