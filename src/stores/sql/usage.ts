import {
  STEP_MS,
  USAGE_STEPS,
  type UsagePart,
  type UsageQuery,
  type UsageRow,
  type UsageStep,
} from '../../tenancy/usage.ts';
import type { UsageTally } from '../usage/usage-tally.ts';
import { integerOf, textOf, textOrNullOf } from './row.ts';
import { deleteRows } from './row-sets.ts';
import type { Row, Sql, SqlDialect, SqlTransaction, SqlValue } from './sql.ts';

/** Whether it is the writer's next batch, and not one that was written before. */
export async function advanceWriter(
  transaction: SqlTransaction,
  { writerId, number, nowMs }: { writerId: string; number: number; nowMs: number },
): Promise<boolean> {
  const changed = await transaction.run(
    `insert into usage_writers as known (id, batch, written_at) values (?1, ?2, ?3)
     on conflict (id) do update set batch = excluded.batch, written_at = excluded.written_at
     where known.batch < excluded.batch`,
    [writerId, number, nowMs],
  );
  return changed > 0;
}

/** The rows of a JSON array, so that any number of them is one parameter of one statement. */
const GIVEN: Readonly<Record<SqlDialect, string>> = {
  postgres: `json_to_recordset(cast(?1 as json)) as given (
    project_id text, step text, start_at bigint, namespace text, key_id text,
    allowed bigint, denied bigint, degraded bigint, cost bigint, position bigint)`,
  sqlite: `(
    select value ->> 'project_id' as project_id, value ->> 'step' as step, value ->> 'start_at' as start_at,
      value ->> 'namespace' as namespace, value ->> 'key_id' as key_id, value ->> 'allowed' as allowed,
      value ->> 'denied' as denied, value ->> 'degraded' as degraded, value ->> 'cost' as cost,
      value ->> 'position' as position
    from json_each(?1)) as given`,
};

/** By hour and by day; every node in the same order, so that no two wait for each other. */
export async function addToUsage(transaction: SqlTransaction, tallies: readonly UsageTally[]): Promise<void> {
  await transaction.run(
    `insert into usage as known
       (project_id, step, start_at, namespace, key_id, allowed, denied, degraded, cost)
     select project_id, step, start_at, namespace, key_id, allowed, denied, degraded, cost
     from ${GIVEN[transaction.dialect]}
     where true
     order by position
     on conflict (project_id, step, start_at, namespace, key_id) do update set
       allowed = known.allowed + excluded.allowed, denied = known.denied + excluded.denied,
       degraded = known.degraded + excluded.degraded,
       cost = case
         when known.cost > ${Number.MAX_SAFE_INTEGER} - excluded.cost then ${Number.MAX_SAFE_INTEGER}
         else known.cost + excluded.cost
       end`,
    [JSON.stringify(givenOf(tallies))],
  );
}

interface Given {
  readonly project_id: string;
  readonly step: UsageStep;
  readonly start_at: number;
  readonly namespace: string;
  readonly key_id: string;
  allowed: number;
  denied: number;
  degraded: number;
  cost: number;
}

/** In one statement a row can only be written once: what goes into the same one is added up here. */
function givenOf(tallies: readonly UsageTally[]): (Given & { position: number })[] {
  const rows = new Map<string, Given>();
  for (const { projectId, namespace, keyId, hourMs, allowed, denied, degraded, cost } of tallies) {
    for (const step of USAGE_STEPS) {
      const startMs = startOf(step, hourMs);
      const id = JSON.stringify([projectId, step, startMs, namespace, keyId]);
      const key = { project_id: projectId, step, start_at: startMs, namespace, key_id: keyId };
      const row = rows.get(id) ?? { ...key, allowed: 0, denied: 0, degraded: 0, cost: 0 };
      row.allowed += allowed;
      row.denied += denied;
      row.degraded += degraded;
      row.cost = Math.min(row.cost + cost, Number.MAX_SAFE_INTEGER);
      rows.set(id, row);
    }
  }
  return [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row], position) => ({ ...row, position }));
}

function startOf(step: UsageStep, epochMs: number): number {
  return epochMs - (epochMs % STEP_MS[step]);
}

const COLUMN_OF_PART: Readonly<Record<UsagePart, string>> = { namespace: 'namespace', key: 'key_id' };

export async function selectUsage(sql: Pick<Sql, 'all' | 'dialect'>, query: UsageQuery): Promise<UsageRow[]> {
  const { projectId, step, by, fromMs, toMs, namespace, keyId, after, pageSize } = query;
  const part = by === undefined ? undefined : COLUMN_OF_PART[by];
  const parameters: SqlValue[] = [];
  const place = (value: SqlValue) => `?${parameters.push(value)}`;
  const conditions = [`project_id = ${place(projectId)}`, `step = ${place(step)}`];
  conditions.push(`start_at >= ${place(Math.max(fromMs, after?.startMs ?? fromMs))}`);
  conditions.push(`start_at < ${place(toMs)}`);
  if (namespace !== undefined) conditions.push(`namespace = ${place(namespace)}`);
  if (keyId !== undefined) conditions.push(`key_id = ${place(keyId)}`);
  if (after !== undefined) {
    conditions.push(
      part === undefined
        ? `start_at > ${place(after.startMs)}`
        : `(start_at, ${part}) > (${place(after.startMs)}, ${place(after.part)})`,
    );
  }
  const groups = part === undefined ? 'start_at' : `start_at, ${part}`;
  const sums = COUNTS.map((column) => `${SUM[sql.dialect](column)} as ${column}`).join(', ');
  const grouped = `select start_at, ${part ?? "''"} as part, ${sums} from usage
     where ${conditions.join(' and ')}
     group by ${groups}
     order by ${groups}
     limit ${place(pageSize)}`;
  const rows = await sql.all(
    `select start_at, part, allowed, denied, degraded, cost, ${by === 'key' ? KEY_NAME : 'null'} as key_name
     from (${grouped}) as found
     order by start_at, part`,
    parameters,
  );
  return rows.map(usageRowOf);
}

const KEY_NAME = '(select k.name from api_keys k where k.id = part and k.project_id = ?1)';

const COUNTS = ['allowed', 'denied', 'degraded', 'cost'];

/** At most 2^53-1. SQLite's `sum` fails beyond 2^63; its `total` is exact up to there and never fails. */
const SUM: Readonly<Record<SqlDialect, (column: string) => string>> = {
  postgres: (column) => `cast(least(sum(${column}), ${Number.MAX_SAFE_INTEGER}) as bigint)`,
  sqlite: (column) => `cast(min(total(${column}), ${Number.MAX_SAFE_INTEGER}.0) as integer)`,
};

/** How many there were, at most `limit`. Rows that another node is about to delete are left to it. */
export function deleteOldUsage(
  transaction: SqlTransaction,
  { step, beforeMs, limit }: { step: UsageStep; beforeMs: number; limit: number },
): Promise<number> {
  const unlessLocked = UNLESS_LOCKED[transaction.dialect];
  const rest = `where step = ?1 and start_at < ?2 order by start_at limit ?3 ${unlessLocked}`;
  return deleteRows(transaction, 'usage', rest, [step, beforeMs, limit]);
}

/** As deleteOldUsage. */
export function deleteOldWriters(
  transaction: SqlTransaction,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const unlessLocked = UNLESS_LOCKED[transaction.dialect];
  const rest = `where written_at < ?1 order by written_at limit ?2 ${unlessLocked}`;
  return deleteRows(transaction, 'usage_writers', rest, [beforeMs, limit]);
}

const UNLESS_LOCKED: Readonly<Record<SqlDialect, string>> = {
  postgres: 'for update skip locked',
  sqlite: '',
};

function usageRowOf(row: Row): UsageRow {
  return {
    startMs: integerOf(row, 'start_at'),
    part: textOf(row, 'part'),
    keyName: textOrNullOf(row, 'key_name'),
    allowed: integerOf(row, 'allowed'),
    denied: integerOf(row, 'denied'),
    degraded: integerOf(row, 'degraded'),
    cost: integerOf(row, 'cost'),
  };
}
