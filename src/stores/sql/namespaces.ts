import { BrumeError } from '../../errors/catalogue.ts';
import type { Namespace, Rule } from '../../policy/namespace.ts';
import { parseRule, ruleToJson } from '../../policy/rule-input.ts';
import { isOfChangedProject } from './projects.ts';
import { integerOf, textOf } from './row.ts';
import type { Row, Sql, SqlExecutor, SqlTransaction } from './sql.ts';

/** A namespace as stored; its rule is the JSON's text, not yet parsed. */
export interface NamespaceRow extends Omit<Namespace, 'rule'> {
  readonly ruleText: string;
}

type Reader = Pick<SqlExecutor, 'all'>;

const COLUMNS = 'n.id, n.project_id, n.name, n.rule, n.version, n.created_at, n.updated_at';

/** By name. */
export async function selectNamespaces(sql: Reader, projectId: string): Promise<NamespaceRow[]> {
  const rows = await sql.all(`select ${COLUMNS} from namespaces n where n.project_id = ?1 order by n.name`, [
    projectId,
  ]);
  return rows.map(namespaceRowOf);
}

export async function selectNamespace(
  sql: Reader,
  projectId: string,
  name: string,
): Promise<NamespaceRow | undefined> {
  const rows = await sql.all(`select ${COLUMNS} from namespaces n where n.project_id = ?1 and n.name = ?2`, [
    projectId,
    name,
  ]);
  return rows.map(namespaceRowOf)[0];
}

export async function selectNamespaceById(sql: Reader, id: string): Promise<NamespaceRow | undefined> {
  const rows = await sql.all(`select ${COLUMNS} from namespaces n where n.id = ?1`, [id]);
  return rows.map(namespaceRowOf)[0];
}

/** All namespaces of those projects that changed after a revision. */
export async function selectNamespacesChangedAfter(
  sql: Pick<Sql, 'all' | 'dialect'>,
  revision: number,
): Promise<NamespaceRow[]> {
  const isChanged = isOfChangedProject(sql.dialect, 'n.project_id');
  const rows = await sql.all(`select ${COLUMNS} from namespaces n where ${isChanged}`, [revision]);
  return rows.map(namespaceRowOf);
}

/** Rejects with `conflict` if the project has one of this name. */
export async function insertNamespace(
  transaction: SqlTransaction,
  { id, projectId, name, ruleText, version, createdAtMs, updatedAtMs }: NamespaceRow,
): Promise<void> {
  await transaction.run(
    `insert into namespaces (id, project_id, name, rule, version, created_at, updated_at)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
    [id, projectId, name, ruleText, version, createdAtMs, updatedAtMs],
  );
}

export async function updateNamespace(
  transaction: SqlTransaction,
  { id, ruleText, version, updatedAtMs }: Pick<NamespaceRow, 'id' | 'ruleText' | 'version' | 'updatedAtMs'>,
): Promise<void> {
  await transaction.run('update namespaces set rule = ?2, version = ?3, updated_at = ?4 where id = ?1', [
    id,
    ruleText,
    version,
    updatedAtMs,
  ]);
}

/** Takes its exceptions with it. */
export async function deleteNamespace(transaction: SqlTransaction, id: string): Promise<void> {
  await transaction.run('delete from namespaces where id = ?1', [id]);
}

/** As it is stored. */
export function textOfRule(rule: Rule): string {
  return JSON.stringify(ruleToJson(rule));
}

/** With its rule parsed; throws `internal` if that can't be read. */
export function namespaceOf({ ruleText, ...rest }: NamespaceRow): Namespace {
  try {
    return { ...rest, rule: parseRule(JSON.parse(ruleText)) };
  } catch (error) {
    const what = `the stored rule of namespace ${rest.name} (${rest.id}) can't be read`;
    throw new BrumeError('internal', { cause: new Error(what, { cause: error }) });
  }
}

function namespaceRowOf(row: Row): NamespaceRow {
  return {
    id: textOf(row, 'id'),
    projectId: textOf(row, 'project_id'),
    name: textOf(row, 'name'),
    ruleText: textOf(row, 'rule'),
    version: integerOf(row, 'version'),
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
  };
}
