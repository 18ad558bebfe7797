import type { ProjectChange } from '../../policy/rules/rules-store.ts';
import type { Change } from './change.ts';
import { integerOf, integerOrNullOf, textOf } from './row.ts';
import { deleteRows } from './row-sets.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

/** How many of a project's changes are kept. */
const CHANGES_KEPT = 1000;
/** How many items of changes that are no longer kept one later change clears away. */
const ITEMS_CLEARED_PER_CHANGE = 5000;

type Reader = Pick<SqlExecutor, 'all'>;

/** Up to there the changes of project ?1 are no longer kept, though some may not be cleared away yet. */
const FORGOTTEN_UP_TO = `coalesce((select f.revision from project_changes f where f.project_id = ?1
  order by f.revision desc limit 1 offset ${CHANGES_KEPT}), -1)`;

/** 0 if nothing has changed yet. Rejects with nothing: of a project that isn't there it is 0 too. */
export async function selectLastRevision(sql: Reader, projectId: string): Promise<number> {
  const [row] = await sql.all('select max(revision) as revision from project_changes where project_id = ?1', [
    projectId,
  ]);
  return row === undefined ? 0 : (integerOrNullOf(row, 'revision') ?? 0);
}

/** The latest first, those before a revision. */
export async function selectChanges(
  sql: Reader,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<ProjectChange[]> {
  const rows = await sql.all(
    `select revision, author, summary, created_at from project_changes
     where project_id = ?1 and revision < ?2 and revision > ${FORGOTTEN_UP_TO}
     order by revision desc
     limit ?3`,
    [projectId, before, limit],
  );
  return rows.map(changeOf);
}

/** Undefined if there is none, or it is no longer kept. */
export async function selectChange(
  sql: Reader,
  projectId: string,
  revision: number,
): Promise<ProjectChange | undefined> {
  const rows = await sql.all(
    `select revision, author, summary, created_at from project_changes
     where project_id = ?1 and revision = ?2 and revision > ${FORGOTTEN_UP_TO}`,
    [projectId, revision],
  );
  return rows.map(changeOf)[0];
}

export async function insertChange(
  { transaction, revision, nowMs }: Change,
  { projectId, author, summary }: Pick<ProjectChange, 'author' | 'summary'> & { readonly projectId: string },
): Promise<void> {
  await transaction.run(
    `insert into project_changes (project_id, revision, author, summary, created_at)
     values (?1, ?2, ?3, ?4, ?5)`,
    [projectId, revision, author, summary, nowMs],
  );
}

/** Clears away a portion of what is no longer kept of a project, the oldest first. */
export async function forgetOldChanges(transaction: SqlTransaction, projectId: string): Promise<void> {
  const [row] = await transaction.all(`select ${FORGOTTEN_UP_TO} as revision`, [projectId]);
  const upTo = row === undefined ? -1 : integerOf(row, 'revision');
  if (upTo < 0) return;
  const cleared = await deleteRows(
    transaction,
    'project_change_items',
    `where project_id = ?1 and revision <= ?2
     order by revision, item
     limit ${ITEMS_CLEARED_PER_CHANGE}`,
    [projectId, upTo],
  );
  if (cleared === ITEMS_CLEARED_PER_CHANGE) return;
  await transaction.run('delete from project_changes where project_id = ?1 and revision <= ?2', [
    projectId,
    upTo,
  ]);
}

function changeOf(row: Row): ProjectChange {
  return {
    revision: integerOf(row, 'revision'),
    author: textOf(row, 'author'),
    summary: textOf(row, 'summary'),
    createdAtMs: integerOf(row, 'created_at'),
  };
}
