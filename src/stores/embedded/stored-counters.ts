import { existsSync } from 'node:fs';
import type { Clock } from '../../limiter/clock.ts';
import { CounterFile } from '../sql/counter-file.ts';
import type { Entry, Moment } from './entry.ts';
import { EntryTable } from './entry-table.ts';
import { type LoadedEntries, loadEntries } from './load-entries.ts';
import { slicesOf } from './slices.ts';
import { encodeEntry, FORMAT_VERSION, type StoredEntry } from './stored-entry.ts';

export interface StoredCountersOptions {
  readonly stateDir: string;
  readonly clock: Clock;
}

/**
 * What is written of the embedded counters in a directory, whether Brume runs there (then without what
 * was counted in the last half second) or not. Rejects with StateDirError.
 */
export async function readCounters({ stateDir, clock }: StoredCountersOptions): Promise<LoadedEntries> {
  if (!existsSync(CounterFile.pathIn(stateDir)))
    return { entries: new EntryTable(), nextBatchId: 1, storedCount: 0, damagedCount: 0, leftOutCount: 0 };
  const file = await CounterFile.open({ stateDir, isDirectoryOwned: true, formatVersion: FORMAT_VERSION });
  try {
    return await loadEntries(file, { clock, identifiersMax: Number.POSITIVE_INFINITY });
  } finally {
    await file.close();
  }
}

/**
 * Writes embedded counters into a directory in which no Brume runs; all or nothing. What was written there
 * of other identifiers stays. Rejects with StateDirError, also where another process has the directory.
 */
export async function writeCounters(
  { stateDir, clock }: StoredCountersOptions,
  entries: Iterable<[string, Entry]>,
): Promise<void> {
  const file = await CounterFile.open({ stateDir, isDirectoryOwned: false, formatVersion: FORMAT_VERSION });
  try {
    const [latest] = await file.before(Number.MAX_SAFE_INTEGER, 1);
    let id = latest === undefined ? 1 : latest.id + 1;
    const moment = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
    await file.write(async (writer) => {
      for await (const slice of slicesOf(encoded(entries, moment), { isHurried: true }))
        await writer.append({ ...slice, id: id++, savedMs: moment.nowMs });
    });
  } finally {
    await file.close();
  }
}

function* encoded(entries: Iterable<[string, Entry]>, moment: Moment): Iterable<StoredEntry> {
  for (const [key, entry] of entries) yield encodeEntry(key, entry, moment);
}
