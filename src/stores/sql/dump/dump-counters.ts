import { existsSync } from 'node:fs';
import { CounterFile } from '../counter-file.ts';
import type { Column, DumpItem } from './dump-item.ts';
import { columnsOf, dumpTable } from './dump-tables.ts';
import { COUNTERS_TABLE } from './dumped-tables.ts';
import { readSqliteFile } from './read-at-one-moment.ts';

const COUNTERS_COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer' },
  { name: 'saved_ms', type: 'integer' },
  { name: 'entry_count', type: 'integer' },
  { name: 'entries', type: 'text' },
];

/** What the file of the embedded counters holds. */
export interface DumpedCounters {
  /** Of the entries; 0: there is none. */
  readonly formatVersion: number;
  readonly items: AsyncIterable<DumpItem>;
}

/** The embedded counters in a directory as they are written at one moment, batch by batch as they are. */
export async function readCountersAtOneMoment<Result>(
  stateDir: string,
  work: (counters: DumpedCounters) => Promise<Result>,
): Promise<Result> {
  const path = CounterFile.pathIn(stateDir);
  if (!existsSync(path)) return work({ formatVersion: 0, items: nothing() });
  return readSqliteFile(path, async (reader) => {
    const [row] = await reader.all('pragma user_version');
    const isMade = (await columnsOf(reader, 'batches')).length > 0;
    const items = isMade ? dumpTable(reader, COUNTERS_TABLE, COUNTERS_COLUMNS, 'batches') : nothing();
    return work({ formatVersion: isMade ? Number(row?.user_version) : 0, items });
  });
}

async function* nothing(): AsyncGenerator<DumpItem> {}
