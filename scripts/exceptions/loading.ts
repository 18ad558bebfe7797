import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bestNsOf } from './lookups.ts';
import { identifierAt, overrideAt, type Table } from './tables.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export interface Loading {
  readonly bytesEach: number;
  readonly saidBytesEach: number | undefined;
  readonly loadMs: number;
  readonly longestMs: number;
  readonly collectionMs: number;
  readonly hitNs: number;
  readonly missNs: number;
}

const SUBJECTS = 100_000;
/** So much is made before it is inserted, so that only inserting is timed. */
const PORTION = 10_000;
/** The best one counts: others use the machine too. */
const TRIALS = 4;

export function measureLoading(newTable: () => Table, count: number): Loading {
  const trials = Array.from({ length: TRIALS }, () => load(newTable(), count));
  const table = newTable();
  const before = usedBytes();
  load(table, count);
  const bytesEach = (usedBytes() - before) / count;
  const collectionMs = Math.min(...Array.from({ length: TRIALS }, collectionTimeMs));
  const there = Array.from({ length: SUBJECTS }, (_, index) => identifierAt((index * 7919) % count));
  const absent = Array.from({ length: SUBJECTS }, (_, index) => identifierAt(count + index));
  return {
    bytesEach,
    saidBytesEach: table.bytes === undefined ? undefined : table.bytes / count,
    loadMs: bestSumMs(trials),
    longestMs: Math.min(...trials.map(({ longestMs }) => longestMs)),
    collectionMs,
    hitNs: bestNsOf(there, (subject) => table.has(subject)),
    missNs: bestNsOf(absent, (subject) => table.has(subject)),
  };
}

/** How long each portion took, and the longest insertion of all. */
function load(table: Table, count: number): { portionsMs: number[]; longestMs: number } {
  collectGarbage();
  const portionsMs: number[] = [];
  let longestMs = 0;
  for (let from = 0; from < count; from += PORTION) {
    const rows = Array.from({ length: Math.min(PORTION, count - from) }, (_, index) =>
      overrideAt(from + index),
    );
    const startMs = performance.now();
    let atMs = startMs;
    for (const row of rows) {
      table.put(row);
      const doneMs = performance.now();
      longestMs = Math.max(longestMs, doneMs - atMs);
      atMs = doneMs;
    }
    portionsMs.push(atMs - startMs);
  }
  return { portionsMs, longestMs };
}

/** The sum of what each portion took where it was fastest. */
function bestSumMs(trials: readonly { readonly portionsMs: readonly number[] }[]): number {
  const [first] = trials;
  return (first?.portionsMs ?? []).reduce(
    (sum, _, portion) => sum + Math.min(...trials.map(({ portionsMs }) => portionsMs[portion] ?? 0)),
    0,
  );
}

function collectionTimeMs(): number {
  const startMs = performance.now();
  collectGarbage();
  return performance.now() - startMs;
}

function usedBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
