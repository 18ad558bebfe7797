import type { ExceptionRow, ExceptionRows } from './exception-rows.ts';
import type { KeyChange } from './key-table.ts';
import type { ProjectNamespaces } from './project-namespaces.ts';
import { Slices } from './slices.ts';
import type { SnapshotChange } from './snapshot-change.ts';
import type {
  RemovedException,
  SnapshotSource,
  StoredException,
  StoredKey,
  StoredNamespace,
} from './snapshot-source.ts';
import { SnapshotTables } from './snapshot-tables.ts';

const PAGE_SIZE = 2000;
/** A change of more rows is not collected: whoever keeps the snapshot reads the tables. */
const CHANGE_ROWS_MAX = 20_000;
const EVERYTHING = -1;

export interface LoadOptions {
  readonly source: SnapshotSource;
  readonly tables: SnapshotTables;
  /** What the tables have; undefined: nothing in them can be relied on. */
  readonly since: number | undefined;
  /** Called before anything is decided by the new state. */
  readonly onChange: (hasChanged: (projectId: string) => boolean) => void;
  /** Called when everything has been read anew. */
  readonly onWhole: () => void;
}

/**
 * Reads what changed into the tables, and resolves with it; with undefined if that is more than is
 * worth collecting. If it rejects, the tables may have a part of it, and the same call again leads to
 * the whole. At no moment is an exception missing that was there before and after.
 */
export async function loadChanges(options: LoadOptions): Promise<SnapshotChange | undefined> {
  const { source, tables, onChange } = options;
  const revisions = await source.projectRevisions();
  const since = isContinued(tables, revisions, options.since) ? options.since : EVERYTHING;
  const [namespaces, budgets, keys, removed] = await Promise.all([
    source.namespacesChangedAfter(since),
    source.budgetsChangedAfter(since),
    source.keysChangedAfter(since),
    since === EVERYTHING ? [] : source.exceptionsRemovedAfter(since),
  ]);
  const projects = changedProjects(revisions, since, { namespaces, budgets });
  const goneProjects = [...tables.namespaces.projectIds()].filter((id) => !revisions.has(id));

  const target = since === EVERYTHING ? SnapshotTables.newExceptions() : tables.exceptions;
  const known = new Set(namespaces.map(({ id }) => id));
  const removals = latestRemovals(removed);
  const exceptions = await loadExceptions({
    source,
    since,
    target,
    // A namespace made meanwhile: all of it comes with the next change.
    isKnown: (namespaceId) => known.has(namespaceId) || tables.namespaces.rowOf(namespaceId) !== undefined,
    onRow: ({ namespaceId, kind, match }) => removals.delete(keyOf({ namespaceId, kind, match })),
  });

  const changed = new Set(projects.map(({ id }) => id));
  onChange((id) => changed.has(id) || !revisions.has(id));
  if (since === EVERYTHING) options.onWhole();
  tables.exceptions = target;
  for (const id of goneProjects) tables.dropProject(id);
  const slices = new Slices();
  for (const project of projects) {
    tables.replaceProject(project);
    if (slices.step(1 + project.namespaces.length)) await slices.pause();
  }
  for (const removal of removals.values()) {
    tables.exceptions.remove(removal);
    if (slices.step()) await slices.pause();
  }
  const { set, gone } = await replaceKeys(tables, projects, keys);

  const rows = (exceptions?.length ?? 0) + removals.size + set.length + gone.length + namespaces.length;
  if (since === EVERYTHING || exceptions === undefined || rows > CHANGE_ROWS_MAX) return undefined;
  const goneExceptions = [...removals.values()];
  return { projects, goneProjects, keys: set, goneKeys: gone, exceptions, goneExceptions };
}

/**
 * Whether the tables' revision is one that the store went through. A store that came back as it was
 * earlier and was changed since gives itself away by a project that differs and has not changed.
 */
function isContinued(
  { namespaces }: SnapshotTables,
  revisions: ReadonlyMap<string, number>,
  since: number | undefined,
): since is number {
  if (since === undefined) return false;
  for (const [id, revision] of revisions) {
    const known = namespaces.revisionOf(id);
    if (revision <= since ? known !== revision : known !== undefined && known > revision) return false;
  }
  return true;
}

function changedProjects(
  revisions: ReadonlyMap<string, number>,
  since: number,
  {
    namespaces,
    budgets,
  }: { readonly namespaces: readonly StoredNamespace[]; readonly budgets: ReadonlyMap<string, number> },
): ProjectNamespaces[] {
  const rows = Map.groupBy(namespaces, ({ projectId }) => projectId);
  return [...revisions]
    .filter(([, revision]) => revision > since)
    .map(([id, revision]) => ({
      id,
      revision,
      namespaces: rows.get(id) ?? [],
      callsPerDay: budgets.get(id) ?? null,
    }));
}

interface ExceptionLoad {
  readonly source: SnapshotSource;
  readonly since: number;
  readonly target: ExceptionRows;
  readonly isKnown: (namespaceId: string) => boolean;
  readonly onRow: (exception: StoredException) => void;
}

/** Undefined if there are too many to be collected. */
async function loadExceptions(load: ExceptionLoad): Promise<ExceptionRow[] | undefined> {
  const { source, since, target, isKnown, onRow } = load;
  const slices = new Slices();
  let collected: ExceptionRow[] | undefined = [];
  let after: StoredException | undefined;
  for (;;) {
    const cursor = after === undefined ? {} : { after: { revision: after.revision, id: after.id } };
    const page = await source.exceptionsChangedAfter(since, { ...cursor, pageSize: PAGE_SIZE });
    for (const exception of page) {
      if (!isKnown(exception.namespaceId)) continue;
      target.upsert(exception);
      onRow(exception);
      collected?.push(exception);
      if (slices.step()) await slices.pause();
    }
    if (collected !== undefined && collected.length > CHANGE_ROWS_MAX) collected = undefined;
    after = page.at(-1);
    if (after === undefined || page.length < PAGE_SIZE) return collected;
  }
}

/**
 * Removals are read before what was written: an exception that comes with the latter was written after
 * its removal, and stays.
 */
function latestRemovals(removed: readonly RemovedException[]): Map<string, RemovedException> {
  return new Map(removed.map((removal) => [keyOf(removal), removal]));
}

function keyOf({ namespaceId, kind, match }: Pick<RemovedException, 'namespaceId' | 'kind' | 'match'>) {
  return `${namespaceId} ${kind} ${match}`;
}

async function replaceKeys(
  { keys }: SnapshotTables,
  projects: readonly ProjectNamespaces[],
  stored: readonly StoredKey[],
): Promise<KeyChange> {
  const rows = Map.groupBy(stored, ({ projectId }) => projectId);
  const changes: KeyChange[] = [];
  for (const { id } of projects) changes.push(await keys.replace(id, rows.get(id) ?? []));
  return { set: changes.flatMap(({ set }) => set), gone: changes.flatMap(({ gone }) => gone) };
}
