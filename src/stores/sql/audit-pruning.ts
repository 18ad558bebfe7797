import { integerOf } from './row.ts';
import { deleteRows } from './row-sets.ts';
import type { SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

/** Above all others: what is said while the audit as a whole makes room for that of a backup. */
const ALWAYS_MS = Number.MAX_SAFE_INTEGER;
/** "audit" in ASCII: the number of the lock under which entries are removed. */
const PRUNING_LOCK = 0x6175646974;

/** Epoch milliseconds; what is older may be removed. */
export async function selectAuditKeptFrom(sql: Reader): Promise<number> {
  const [row] = await sql.all('select audit_kept_from from installation where id = 1');
  return row === undefined ? 0 : integerOf(row, 'audit_kept_from');
}

/** False if that much, or more, may be removed already. */
export async function raiseAuditKeptFrom(transaction: SqlTransaction, toMs: number): Promise<boolean> {
  const raised = await transaction.run(
    'update installation set audit_kept_from = ?1 where id = 1 and audit_kept_from < ?1',
    [toMs],
  );
  return raised === 1;
}

/** All of it may go, in this transaction: another audit takes its place. */
export async function allowAnotherAudit(transaction: SqlTransaction): Promise<void> {
  await raiseAuditKeptFrom(transaction, ALWAYS_MS);
}

export async function countAuditBefore(sql: Reader, beforeMs: number): Promise<number> {
  const [row] = await sql.all('select count(*) as entries from audit where at < ?1', [beforeMs]);
  return row === undefined ? 0 : integerOf(row, 'entries');
}

/** False while another node removes entries. Until the transaction ends no other does. */
export async function lockPruning(transaction: SqlTransaction): Promise<boolean> {
  if (transaction.dialect === 'sqlite') return true;
  const [row] = await transaction.all(
    'select case when pg_try_advisory_xact_lock(?1) then 1 else 0 end as locked',
    [PRUNING_LOCK],
  );
  return row !== undefined && integerOf(row, 'locked') === 1;
}

/** The oldest that may be removed; resolves with how many there were. */
export function deleteOldAudit(transaction: SqlTransaction, limit: number): Promise<number> {
  return deleteRows(
    transaction,
    'audit',
    `where at < (select audit_kept_from from installation where id = 1)
     order by at, revision
     limit ?1`,
    [limit],
  );
}
