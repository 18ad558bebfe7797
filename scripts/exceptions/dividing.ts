import { performance } from 'node:perf_hooks';
import { ENTRIES_PER_SEGMENT_MAX } from '../../src/stores/cache/exception-table/entry-segment.ts';
import { compactTable, overrideAt } from './tables.ts';

const TRIALS = 60;

/** How long the insertion takes that divides a full part of the table; the best trial. */
export function dividingMs(): number {
  return Math.min(
    ...Array.from({ length: TRIALS }, () => {
      const table = compactTable();
      for (let index = 0; index < ENTRIES_PER_SEGMENT_MAX; index++) table.put(overrideAt(index));
      const startMs = performance.now();
      table.put(overrideAt(ENTRIES_PER_SEGMENT_MAX));
      return performance.now() - startMs;
    }),
  );
}
