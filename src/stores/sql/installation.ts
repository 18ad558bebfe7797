import { randomBytes } from 'node:crypto';
import { BrumeError } from '../../errors/catalogue.ts';
import { integerOf, integerOrNullOf, textOf } from './row.ts';
import type { SqlExecutor, SqlTransaction } from './sql.ts';
import { isPostgresTableMissing } from './sql-fault.ts';

export interface Installation {
  readonly revision: number;
  /** When the change of this revision was made, in epoch milliseconds; null: the audit doesn't say (any more). */
  readonly revisedAtMs: number | null;
  /** 32 bytes under which identifiers are hashed; the same on all nodes, for good. */
  readonly identifierSecret: Uint8Array;
  /** Removals of exceptions up to this revision are no longer listed. */
  readonly removalsListedAfter: number;
}

/** Makes the installation's one row, if it isn't there. */
export async function createInstallation(transaction: SqlTransaction, nowMs: number): Promise<void> {
  await transaction.run(
    `insert into installation (id, identifier_secret, revision, created_at)
     values (1, ?1, 0, ?2)
     on conflict (id) do nothing`,
    [randomBytes(32).toString('hex'), nowMs],
  );
}

export async function findInstallation(sql: Pick<SqlExecutor, 'all'>): Promise<Installation> {
  const installation = await selectInstallation(sql);
  if (installation === undefined) throw notMigrated();
  return installation;
}

/** Undefined if there is none, or not even its table. */
export async function findInstallationIfAny(
  sql: Pick<SqlExecutor, 'all'>,
): Promise<Installation | undefined> {
  try {
    return await selectInstallation(sql);
  } catch (error) {
    if (isPostgresTableMissing(error)) return undefined;
    throw error;
  }
}

async function selectInstallation(sql: Pick<SqlExecutor, 'all'>): Promise<Installation | undefined> {
  const [row] = await sql.all(
    `select identifier_secret, i.revision, removals_listed_after, a.at as revised_at
     from installation i left join audit a on a.revision = i.revision
     where i.id = 1`,
  );
  if (row === undefined) return undefined;
  return {
    revision: integerOf(row, 'revision'),
    revisedAtMs: integerOrNullOf(row, 'revised_at'),
    identifierSecret: Buffer.from(textOf(row, 'identifier_secret'), 'hex'),
    removalsListedAfter: integerOf(row, 'removals_listed_after'),
  };
}

/** Waits until no other change is under way; none begins before this transaction has ended. */
export async function lockChanges(transaction: SqlTransaction): Promise<void> {
  const locked = await transaction.run('update installation set revision = revision where id = 1');
  if (locked === 0) throw notMigrated();
}

/**
 * Numbers this change. The row stays locked until the commit, so that changes become visible in the
 * order of their numbers. Comes first in every transaction that writes.
 */
export async function raiseRevision(transaction: SqlTransaction): Promise<number> {
  const [row] = await transaction.all(
    'update installation set revision = revision + 1 where id = 1 returning revision',
  );
  if (row === undefined) throw notMigrated();
  return integerOf(row, 'revision');
}

/** Says up to which revision removals of exceptions have been purged. */
export async function raiseRemovalsListedAfter(transaction: SqlTransaction, revision: number): Promise<void> {
  await transaction.run(
    'update installation set removals_listed_after = ?1 where id = 1 and removals_listed_after < ?1',
    [revision],
  );
}

function notMigrated(): BrumeError {
  return new BrumeError('internal', {
    cause: new Error('the database has no installation row: run brume migrate'),
  });
}
