import type { QuotaCheckpoint } from '../../checkpoints/quota-checkpoint.ts';
import { integerOf, textOf } from '../row.ts';
import { columnsOf, dumpTable, type SnapshotReader } from './dump-tables.ts';
import { DUMPED_TABLES } from './dumped-tables.ts';

/** The checkpoints of quotas as they are at one moment. */
export async function* dumpedCheckpoints(reader: SnapshotReader): AsyncGenerator<QuotaCheckpoint> {
  const table = DUMPED_TABLES.find(({ name }) => name === 'quota_checkpoints');
  const columns = table === undefined ? [] : await columnsOf(reader, table.name);
  if (table === undefined || columns.length === 0) return;
  for await (const item of dumpTable(reader, table, columns)) {
    if (item.kind !== 'rows') continue;
    for (const values of item.rows) {
      const row = Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]));
      yield {
        key: textOf(row, 'state_key'),
        name: textOf(row, 'name'),
        identity: integerOf(row, 'identity'),
        startMs: integerOf(row, 'start_at'),
        endMs: integerOf(row, 'end_at'),
        used: integerOf(row, 'used'),
        observedMs: integerOf(row, 'observed_at'),
      };
    }
  }
}
