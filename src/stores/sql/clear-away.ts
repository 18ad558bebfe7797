import type { Change } from './change.ts';
import { exceptionKeyOf } from './exception-rows.ts';
import { deleteExceptions } from './exceptions.ts';
import { raiseRemovalsListedAfter } from './installation.ts';
import { listAsRemoved } from './removed-exceptions.ts';
import { integerOf } from './row.ts';
import { isRowOf } from './row-sets.ts';

/** For so long an expired exception stays, and a removal is listed. */
const CLEARED_AWAY_AFTER_MS = 86_400_000;
/** How many rows of each a change clears away. */
const ROWS_PER_CHANGE = 1000;

/** Clears away what is long over, a portion with each change, so that no change takes much longer for it. */
export async function clearAway(change: Change): Promise<void> {
  await clearExpired(change);
  await clearRemovals(change);
}

/** As a removal: the nodes drop it from their memory, too. */
async function clearExpired(change: Change): Promise<void> {
  const rows = await change.transaction.all(
    `select namespace_id, match_text, kind from rule_exceptions
     where expires_at <= ?1
     order by expires_at
     limit ${ROWS_PER_CHANGE}`,
    [change.nowMs - CLEARED_AWAY_AFTER_MS],
  );
  if (rows.length === 0) return;
  const keys = rows.map(exceptionKeyOf);
  await listAsRemoved(change, keys);
  await deleteExceptions(change.transaction, keys);
}

async function clearRemovals({ transaction, nowMs }: Change): Promise<void> {
  const rest = `where removed_at <= ?1 order by removed_at limit ${ROWS_PER_CHANGE}`;
  const isOver = isRowOf(transaction.dialect, 'removed_exceptions', rest);
  const rows = await transaction.all(`delete from removed_exceptions where ${isOver} returning revision`, [
    nowMs - CLEARED_AWAY_AFTER_MS,
  ]);
  if (rows.length === 0) return;
  await raiseRemovalsListedAfter(transaction, Math.max(...rows.map((row) => integerOf(row, 'revision'))));
}
