import type { Cursor, QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import { integerOf, textOf } from './row.ts';
import { deleteRows } from './row-sets.ts';
import type { Row, SqlDialect, SqlTransaction } from './sql.ts';

/** "quota" in ASCII: the number of the lock under which checkpoints are written, reset and restored. */
const CHECKPOINT_LOCK = 0x71756f7461;

/** Waits for its turn among all nodes; it ends with the transaction. SQLite has it from `begin immediate`. */
export async function lockCheckpoints(transaction: SqlTransaction): Promise<void> {
  if (transaction.dialect === 'postgres') {
    await transaction.all('select pg_advisory_xact_lock(?1)', [CHECKPOINT_LOCK]);
  }
}

/** The rows of a JSON array, so that any number of checkpoints is one parameter of one statement. */
const GIVEN: Readonly<Record<SqlDialect, string>> = {
  postgres: `json_to_recordset(cast(?1 as json)) as given (
    state_key text, name text, identity bigint, start_at bigint, end_at bigint, used bigint, observed_at bigint)`,
  sqlite: `(
    select value ->> 'state_key' as state_key, value ->> 'name' as name, value ->> 'identity' as identity,
      value ->> 'start_at' as start_at, value ->> 'end_at' as end_at, value ->> 'used' as used,
      value ->> 'observed_at' as observed_at
    from json_each(?1)) as given`,
};

/** A period that is to begin later than that is left from a clock that has stepped back since. */
const CLOCKS_APART_MS_MAX = 3_600_000;

/** Raises what is known, under the lock. */
export async function upsertCheckpoints(
  transaction: SqlTransaction,
  checkpoints: readonly QuotaCheckpoint[],
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `insert into quota_checkpoints as known
       (state_key, name, identity, start_at, end_at, used, observed_at, updated_at)
     select given.state_key, given.name, given.identity, given.start_at, given.end_at, given.used,
       given.observed_at, cast(?2 as bigint)
     from ${GIVEN[transaction.dialect]}
     where coalesce(
       (select r.reset_at from quota_resets r where r.state_key = given.state_key) < given.observed_at, true)
     on conflict (state_key, name) do update set
       identity = excluded.identity, start_at = excluded.start_at, end_at = excluded.end_at,
       used = excluded.used, observed_at = excluded.observed_at, updated_at = excluded.updated_at
     where case
       when excluded.identity <> known.identity then excluded.observed_at >= known.observed_at
       when excluded.start_at = known.start_at then excluded.used > known.used
       else excluded.start_at > known.start_at or known.start_at > ?3
     end`,
    [JSON.stringify(checkpoints.map(givenOf)), nowMs, nowMs + CLOCKS_APART_MS_MAX],
  );
}

/** Those after a cursor, in the order of key and name, that end after a moment. */
export async function selectCheckpoints(
  transaction: SqlTransaction,
  { after, endingAfterMs, limit }: { after: Cursor; endingAfterMs: number; limit: number },
): Promise<QuotaCheckpoint[]> {
  const rows = await transaction.all(
    `select state_key, name, identity, start_at, end_at, used, observed_at from quota_checkpoints
     where (state_key, name) > (?1, ?2) and end_at > ?3
     order by state_key, name
     limit ?4`,
    [after.key, after.name, endingAfterMs, limit],
  );
  return rows.map(checkpointOf);
}

export async function deleteCheckpoints(transaction: SqlTransaction, key: string): Promise<void> {
  await transaction.run('delete from quota_checkpoints where state_key = ?1', [key]);
}

/** What was observed until then is ignored from now on. Of two resets the later one counts. */
export async function recordReset(
  transaction: SqlTransaction,
  key: string,
  resetMs: number,
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `insert into quota_resets as known (state_key, reset_at, created_at) values (?1, ?2, ?3)
     on conflict (state_key) do update set
       reset_at = case when excluded.reset_at > known.reset_at then excluded.reset_at else known.reset_at end,
       created_at = excluded.created_at`,
    [key, resetMs, nowMs],
  );
}

/** How many there were, at most `limit`. */
export function deleteEndedCheckpoints(
  transaction: SqlTransaction,
  endedBeforeMs: number,
  limit: number,
): Promise<number> {
  const rest = 'where end_at < ?1 order by end_at limit ?2';
  return deleteRows(transaction, 'quota_checkpoints', rest, [endedBeforeMs, limit]);
}

/** How many there were, at most `limit`. */
export function deleteOldResets(
  transaction: SqlTransaction,
  createdBeforeMs: number,
  limit: number,
): Promise<number> {
  const rest = 'where created_at < ?1 order by created_at limit ?2';
  return deleteRows(transaction, 'quota_resets', rest, [createdBeforeMs, limit]);
}

function givenOf({ key, name, identity, startMs, endMs, used, observedMs }: QuotaCheckpoint) {
  return {
    state_key: key,
    name,
    identity,
    start_at: startMs,
    end_at: endMs,
    used,
    observed_at: observedMs,
  };
}

function checkpointOf(row: Row): QuotaCheckpoint {
  return {
    key: textOf(row, 'state_key'),
    name: textOf(row, 'name'),
    identity: integerOf(row, 'identity'),
    startMs: integerOf(row, 'start_at'),
    endMs: integerOf(row, 'end_at'),
    used: integerOf(row, 'used'),
    observedMs: integerOf(row, 'observed_at'),
  };
}
