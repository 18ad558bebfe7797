import { BrumeError } from '../../errors/catalogue.ts';
import type { Namespace, Rule } from '../../policy/namespace.ts';
import { parseRule, ruleToJson } from '../../policy/rule-input.ts';
import { integerOf, textOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

/** A namespace as stored; its rule is the JSON's text, not yet parsed. */
export interface NamespaceRow extends Omit<Namespace, 'rule'> {
  readonly ruleText: string;
}

type Reader = Pick<SqlExecutor, 'all'>;

export async function selectNamespaces(sql: Reader, projectId: string): Promise<Namespace[]> {
  const rows = await sql.all(
    `select id, project_id, name, rule, version, created_at, updated_at from namespaces
     where project_id = ?1 order by name`,
    [projectId],
  );
  return rows.map(namespaceOf);
}

export async function selectNamespace(
  sql: Reader,
  projectId: string,
  name: string,
): Promise<Namespace | undefined> {
  const rows = await sql.all(
    `select id, project_id, name, rule, version, created_at, updated_at from namespaces
     where project_id = ?1 and name = ?2`,
    [projectId, name],
  );
  return rows.map(namespaceOf)[0];
}

/** All namespaces of those projects that changed after a revision. */
export async function selectNamespacesChangedAfter(sql: Reader, revision: number): Promise<NamespaceRow[]> {
  const rows = await sql.all(
    `select n.id, n.project_id, n.name, n.rule, n.version, n.created_at, n.updated_at
     from namespaces n join projects p on p.id = n.project_id
     where p.revision > ?1`,
    [revision],
  );
  return rows.map(namespaceRowOf);
}

export async function insertNamespace(
  transaction: SqlTransaction,
  { id, projectId, name, rule, createdAtMs }: Omit<Namespace, 'version' | 'updatedAtMs'>,
): Promise<Namespace> {
  await transaction.run(
    `insert into namespaces (id, project_id, name, rule, version, created_at, updated_at)
     values (?1, ?2, ?3, ?4, 1, ?5, ?5)`,
    [id, projectId, name, ruleText(rule), createdAtMs],
  );
  return { id, projectId, name, rule, version: 1, createdAtMs, updatedAtMs: createdAtMs };
}

/** Undefined if the project has no such namespace. */
export async function updateNamespace(
  transaction: SqlTransaction,
  { projectId, name, rule, updatedAtMs }: Pick<Namespace, 'projectId' | 'name' | 'rule' | 'updatedAtMs'>,
): Promise<Namespace | undefined> {
  const rows = await transaction.all(
    `update namespaces set rule = ?3, version = version + 1, updated_at = ?4
     where project_id = ?1 and name = ?2
     returning id, project_id, name, rule, version, created_at, updated_at`,
    [projectId, name, ruleText(rule), updatedAtMs],
  );
  return rows.map(namespaceOf)[0];
}

/** False if the project has no such namespace. */
export async function deleteNamespace(
  transaction: SqlTransaction,
  projectId: string,
  name: string,
): Promise<boolean> {
  const deleted = await transaction.run('delete from namespaces where project_id = ?1 and name = ?2', [
    projectId,
    name,
  ]);
  return deleted > 0;
}

function ruleText(rule: Rule): string {
  return JSON.stringify(ruleToJson(rule));
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

function namespaceOf(row: Row): Namespace {
  const { ruleText: text, ...rest } = namespaceRowOf(row);
  try {
    return { ...rest, rule: parseRule(JSON.parse(text)) };
  } catch (error) {
    const what = `the stored rule of namespace ${rest.name} (${rest.id}) can't be read`;
    throw new BrumeError('internal', { cause: new Error(what, { cause: error }) });
  }
}
