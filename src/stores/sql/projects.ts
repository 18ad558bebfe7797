import { BrumeError } from '../../errors/catalogue.ts';
import { DEFAULT_ORGANISATION_ID } from '../../tenancy/organisation.ts';
import type { Project } from '../../tenancy/project.ts';
import { integerOf, textOf, textOrNullOf } from './row.ts';
import { deleteRows, isAmong } from './row-sets.ts';
import type { Row, SqlDialect, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

/** Projects that an executable from before organisations made have none in their row. */
const ORGANISATION = `coalesce(organisation_id, '${DEFAULT_ORGANISATION_ID}')`;
const PROJECT_COLUMNS = `id, name, ${ORGANISATION} as organisation_id, tier_id, version, created_at, updated_at`;

/** By name; of one organisation, or of all. */
export async function selectProjects(sql: Reader, organisationId?: string): Promise<Project[]> {
  const rows = await sql.all(
    `select ${PROJECT_COLUMNS} from projects
     where cast(?1 as text) is null or ${ORGANISATION} = ?1
     order by name`,
    [organisationId ?? null],
  );
  return rows.map(projectOf);
}

/** An id goes before a name. */
export async function selectProject(sql: Reader, idOrName: string): Promise<Project | undefined> {
  const rows = await sql.all(
    `select ${PROJECT_COLUMNS} from projects
     where id = ?1 or name = ?1
     order by case when id = ?1 then 0 else 1 end
     limit 1`,
    [idOrName],
  );
  return rows.map(projectOf)[0];
}

export async function selectProjectRevisions(sql: Reader): Promise<Map<string, number>> {
  const rows = await sql.all('select id, revision from projects');
  return new Map(rows.map((row) => [textOf(row, 'id'), integerOf(row, 'revision')]));
}

export async function insertProject(
  transaction: SqlTransaction,
  { id, name, organisationId, createdAtMs }: Pick<Project, 'id' | 'name' | 'organisationId' | 'createdAtMs'>,
  revision: number,
): Promise<Project> {
  await transaction.run(
    `insert into projects (id, name, organisation_id, revision, version, created_at, updated_at)
     values (?1, ?2, ?3, ?4, 1, ?5, ?5)`,
    [id, name, organisationId, revision, createdAtMs],
  );
  return { id, name, organisationId, tierId: null, version: 1, createdAtMs, updatedAtMs: createdAtMs };
}

export async function updateProjectTier(
  transaction: SqlTransaction,
  { id, tierId, version, updatedAtMs }: Pick<Project, 'id' | 'tierId' | 'version' | 'updatedAtMs'>,
): Promise<void> {
  await transaction.run('update projects set tier_id = ?2, version = ?3, updated_at = ?4 where id = ?1', [
    id,
    tierId,
    version,
    updatedAtMs,
  ]);
}

/** Marks the project as changed, and resolves with whose it is. Rejects with `unknown_project`. */
export async function setProjectRevision(
  transaction: SqlTransaction,
  id: string,
  revision: number,
): Promise<{ readonly projectId: string; readonly organisationId: string }> {
  const [row] = await transaction.all(
    `update projects set revision = ?2 where id = ?1 returning ${ORGANISATION} as organisation_id`,
    [id, revision],
  );
  if (row === undefined) throw new BrumeError('unknown_project');
  return { projectId: id, organisationId: textOf(row, 'organisation_id') };
}

/** The condition that a column names one of the projects that changed after a revision, the parameter ?1. */
export function isOfChangedProject(dialect: SqlDialect, column: string): string {
  return isAmong[dialect](column, 'select p.id from projects p where p.revision > ?1');
}

/** So many rows of a project go at once, so that others can be answered in between. */
const ROWS_PER_PORTION = 5000;

/** Takes its keys, namespaces and history with it. Rejects with `unknown_project`. */
export async function deleteProject(transaction: SqlTransaction, id: string): Promise<void> {
  const isItsNamespace = isAmong[transaction.dialect](
    'namespace_id',
    'select n.id from namespaces n where n.project_id = ?1',
  );
  await deleteInPortions(transaction, 'rule_exceptions', isItsNamespace, id);
  await deleteInPortions(transaction, 'project_change_items', 'project_id = ?1', id);
  const deleted = await transaction.run('delete from projects where id = ?1', [id]);
  if (deleted === 0) throw new BrumeError('unknown_project');
}

async function deleteInPortions(
  transaction: SqlTransaction,
  table: string,
  condition: string,
  id: string,
): Promise<void> {
  const rest = `where ${condition} limit ${ROWS_PER_PORTION}`;
  for (let deleted = ROWS_PER_PORTION; deleted === ROWS_PER_PORTION; ) {
    deleted = await deleteRows(transaction, table, rest, [id]);
  }
}

function projectOf(row: Row): Project {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    organisationId: textOf(row, 'organisation_id'),
    tierId: textOrNullOf(row, 'tier_id'),
    version: integerOf(row, 'version'),
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
  };
}
