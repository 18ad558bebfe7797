/**
 * What an identifier takes in Redis (growth of used_memory) and in the embedded table (growth of heap
 * and external memory after a collection), for each algorithm, and what is left of it once the windows
 * have ended. Fails if a key carries no TTL or if something stays. Prints the table of docs/algorithms.md.
 *
 *     node scripts/measure-memory.ts [--identifiers 1000000] [--life 120] [--only gcra]
 *
 * --life is how many seconds a state lives at least; filling Redis must not take longer.
 */
import { parseArgs } from 'node:util';
import { measureEmbedded } from './memory/embedded-bytes.ts';
import { LEFT_MAX_BYTES, type Measured, measureRedis } from './memory/redis-bytes.ts';
import { type Subject, subjects } from './memory/subjects.ts';

const { values } = parseArgs({
  options: {
    identifiers: { type: 'string', default: '1000000' },
    life: { type: 'string', default: '120' },
    only: { type: 'string' },
  },
});
const lifeMs = Number(values.life) * 1000;
const wanted = subjects(Number(values.identifiers)).filter(
  ({ name }) => values.only === undefined || name === values.only,
);

const inRedis = new Map<Subject, Measured>();
for (const subject of wanted) {
  console.error(`${subject.name}: ${subject.identifiers} identifiers in Redis`);
  const measured = await measureRedis(subject, lifeMs);
  measured.left.catch(() => undefined); // reported below
  inRedis.set(subject, measured);
}

const rows: string[] = [];
let isClean = true;
for (const [subject, { bytesEach, left }] of inRedis) {
  console.error(`${subject.name}: ${subject.identifiers} identifiers in the embedded table`);
  const embedded = await measureEmbedded(subject, lifeMs);
  const lefts = [await left, embedded.left];
  isClean &&= lefts.every((bytes) => bytes <= LEFT_MAX_BYTES);
  const shown = [bytesEach, embedded.bytesEach].map((bytes) => String(Math.round(bytes)));
  const shownLeft = lefts.map((bytes) => `${Math.round(bytes / 1024)} KiB`);
  rows.push(
    `| \`${subject.name.replace(',', '`,')}${subject.name.includes(',') ? '' : '`'} | ${[...shown, ...shownLeft].join(' | ')} |`,
  );
}
console.log('| algorithm | bytes in Redis | bytes embedded | left in Redis | left embedded |');
console.log('|---|---|---|---|---|');
console.log(rows.join('\n'));
if (!isClean) process.exitCode = 1;
