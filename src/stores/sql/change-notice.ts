import type { SqlTransaction } from './sql.ts';

/** The channel of this database on which nodes hear of changes. */
export const CHANGES_CHANNEL = 'brume_changes';

/**
 * Tells every node that listens of this revision, once the transaction has committed. SQLite has
 * no other nodes.
 */
export async function noticeChange(transaction: SqlTransaction, revision: number): Promise<void> {
  if (transaction.dialect === 'postgres') await notify(transaction, CHANGES_CHANNEL, String(revision));
}

export async function notify(transaction: SqlTransaction, channel: string, text: string): Promise<void> {
  await transaction.all('select pg_notify(?1, ?2)', [channel, text]);
}

/** The revision that a notice is about; undefined if it isn't one of Brume's. */
export function revisionOf(text: string | undefined): number | undefined {
  const revision = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(revision) && revision >= 0 ? revision : undefined;
}
