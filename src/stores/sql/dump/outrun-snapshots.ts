import { noticeChange } from '../change-notice.ts';
import type { SqlTransaction } from '../sql.ts';

/** No installation makes more changes than one a millisecond, and no two of its clocks are so far apart. */
const CLOCKS_APART_MS_MAX = 1_000_000;

/**
 * Raises the installation's revision above whatever a node may have seen since the dump was made, or in
 * what it replaces, and has every node read everything anew.
 */
export async function outrunSnapshots(
  transaction: SqlTransaction,
  { replacedRevision, dumpedAtMs, nowMs }: { replacedRevision: number; dumpedAtMs: number; nowMs: number },
): Promise<number> {
  const passed = Math.max(0, nowMs - dumpedAtMs) + CLOCKS_APART_MS_MAX;
  const [row] = await transaction.all('select revision from installation where id = 1');
  const revision = Math.max(Number(row?.revision ?? 0) + passed, replacedRevision + 1);
  await transaction.run('update installation set revision = ?1, removals_listed_after = ?1 where id = 1', [
    revision,
  ]);
  await noticeChange(transaction, revision);
  return revision;
}
