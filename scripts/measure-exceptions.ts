/**
 * What a million overrides take in memory, how long loading them takes and holds the event loop, and
 * what a lookup costs: in the table that Brume uses, and in a Map of objects beside it. Prints the
 * tables of docs/exceptions.md.
 *
 *     node scripts/measure-exceptions.ts [--overrides 1000000]
 *
 * Times are the best of several rounds; "longest" is the longest insertion of the best round.
 */
import { parseArgs } from 'node:util';
import { dividingMs } from './exceptions/dividing.ts';
import { measureLoading } from './exceptions/loading.ts';
import { lookups, timedLookup } from './exceptions/lookups.ts';
import { compactTable, mapOfObjects } from './exceptions/tables.ts';

const { values } = parseArgs({ options: { overrides: { type: 'string', default: '1000000' } } });
const count = Number(values.overrides);

const compact = measureLoading(compactTable, count);
const plain = measureLoading(mapOfObjects, count);
console.log(`| ${count} exact overrides | Brume's table | a Map of objects |`);
console.log('|---|---|---|');
const line = (name: string, figure: (of: typeof compact) => string) =>
  console.log(`| ${name} | ${figure(compact)} | ${figure(plain)} |`);
line('bytes each, all in all', (of) => of.bytesEach.toFixed(0));
line('bytes each, as the table says itself', (of) => of.saidBytesEach?.toFixed(0) ?? '–');
line('loading', (of) => `${(of.loadMs / 1000).toFixed(2)} s`);
line('longest single insertion', (of) => `${of.longestMs.toFixed(1)} ms`);
console.log(`| moving the largest part that moves at once | ${dividingMs().toFixed(1)} ms | all |`);
line('a collection of all garbage', (of) => `${of.collectionMs.toFixed(0)} ms`);
line('lookup, there', (of) => `${of.hitNs.toFixed(0)} ns`);
line('lookup, not there', (of) => `${of.missNs.toFixed(0)} ns`);

console.log('\n| lookup in a namespace with | decided by one | none matches |');
console.log('|---|---|---|');
for (const { name, table, kind, hits, misses } of lookups()) {
  const [hit, miss] = [hits, misses].map((subjects) =>
    subjects.length === 0 ? '–' : `${timedLookup(table, kind, subjects).toFixed(0)} ns`,
  );
  console.log(`| ${name} | ${hit} | ${miss} |`);
}
