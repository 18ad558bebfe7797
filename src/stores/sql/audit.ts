import type { AuditEntry, AuditQuery } from '../../tenancy/audit.ts';
import type { Change, Deed, Place } from './change.ts';
import { integerOf, textOf, textOrNullOf } from './row.ts';
import type { Row, SqlExecutor, SqlValue } from './sql.ts';

const COLUMNS = `revision, at, actor, address, request_id, organisation_id, project_id, action, target,
  before_json, after_json`;

/** One of a change, or its revision is taken and the change fails. */
export async function insertAudit(
  { transaction, revision, nowMs, actor }: Change,
  { organisationId, projectId }: Place,
  { action, target, beforeText, afterText }: Deed,
): Promise<void> {
  await transaction.run(
    `insert into audit (${COLUMNS}) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
    [
      revision,
      nowMs,
      actor.name,
      actor.address,
      actor.requestId,
      organisationId,
      projectId,
      action,
      target,
      beforeText,
      afterText,
    ],
  );
}

/** Epoch milliseconds; null where the audit has no such revision. */
export async function selectRevisedAt(
  sql: Pick<SqlExecutor, 'all'>,
  revision: number,
): Promise<number | null> {
  const [row] = await sql.all('select at from audit where revision = ?1', [revision]);
  return row === undefined ? null : integerOf(row, 'at');
}

/** By revision. */
export async function selectAudit(sql: Pick<SqlExecutor, 'all'>, query: AuditQuery): Promise<AuditEntry[]> {
  const parameters: SqlValue[] = [];
  const place = (value: SqlValue) => `?${parameters.push(value)}`;
  const conditions = [`revision > ${place(query.after ?? -1)}`];
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${column} = ${place(value)}`);
  };
  equal('organisation_id', query.organisationId);
  equal('project_id', query.projectId);
  equal('actor', query.actor);
  equal('action', query.action);
  if (query.fromMs !== undefined) conditions.push(`at >= ${place(query.fromMs)}`);
  if (query.toMs !== undefined) conditions.push(`at <= ${place(query.toMs)}`);
  const rows = await sql.all(
    `select ${COLUMNS} from audit
     where ${conditions.join(' and ')}
     order by revision
     limit ${place(query.pageSize)}`,
    parameters,
  );
  return rows.map(auditEntryOf);
}

function auditEntryOf(row: Row): AuditEntry {
  return {
    revision: integerOf(row, 'revision'),
    atMs: integerOf(row, 'at'),
    actor: textOf(row, 'actor'),
    address: textOrNullOf(row, 'address'),
    requestId: textOrNullOf(row, 'request_id'),
    organisationId: textOrNullOf(row, 'organisation_id'),
    projectId: textOrNullOf(row, 'project_id'),
    action: textOf(row, 'action'),
    target: textOf(row, 'target'),
    before: jsonOf(row, 'before_json'),
    after: jsonOf(row, 'after_json'),
  };
}

function jsonOf(row: Row, column: string): unknown {
  const text = textOrNullOf(row, column);
  return text === null ? null : JSON.parse(text);
}
