import type { QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import type { EntryTable } from './entry-table.ts';
import { restored } from './restored-entry.ts';
import { readCounters, type StoredCountersOptions } from './stored-counters.ts';

export interface StartedEntries {
  readonly entries: EntryTable;
  /** What could not be read. */
  readonly damagedCount: number;
}

/** What embedded counters would start with: what is written of them, and quotas by their checkpoints. */
export async function startedEntries(
  options: StoredCountersOptions,
  checkpoints: AsyncIterable<QuotaCheckpoint>,
): Promise<StartedEntries> {
  const { clock } = options;
  const { entries, damagedCount } = await readCounters(options);
  const moment = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  for await (const checkpoint of checkpoints) {
    const raised = restored(entries.get(checkpoint.key), checkpoint, moment);
    if (raised !== undefined) entries.set(checkpoint.key, raised);
  }
  return { entries, damagedCount };
}
