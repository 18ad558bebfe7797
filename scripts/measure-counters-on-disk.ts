/**
 * What it costs to keep the embedded counters on disk: CPU time a check with and without, side by side and
 * interleaved, how long the event loop was held, bytes on disk an identifier, and how long the next start
 * reads them.
 *
 *     node scripts/measure-counters-on-disk.ts [--rate 10000] [--seconds 5] [--rounds 3] [--identifiers 1000000]
 *
 * --rate is how many checks a second are asked for, on identifiers chosen at random.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { systemTimers } from '../src/stores/cache/timers.ts';
import { EmbeddedCounters } from '../src/stores/embedded/embedded-counters.ts';
import { openEmbeddedCounters } from '../src/stores/embedded/open-embedded-counters.ts';
import { setOf } from '../test/support/counter-engines.ts';
import { newKey } from './memory/subjects.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    identifiers: { type: 'string', default: '1000000' },
  },
});
const rate = Number(values.rate);
const identifiers = Number(values.identifiers);
const TICK_MS = 5;

/** Lasts longer than the measurement. */
const set = setOf({
  name: 'default',
  algorithm: 'fixed_window',
  limit: 1_000_000,
  windowMs: 366 * 86_400_000,
});
const keys = Array.from({ length: identifiers }, newKey);

const stateDir = mkdtempSync(join(tmpdir(), 'brume-measure-'));
const options = {
  clock: systemClock,
  identifiersMax: identifiers,
  stateDir,
  isDirectoryOwned: false,
  timers: systemTimers,
  log: { info: () => undefined, warn: console.error, error: console.error },
};

try {
  const subjects = [
    { name: 'in memory only', counters: new EmbeddedCounters(options), cpuUs: [] as number[], heldMs: 0 },
    { name: 'on disk', counters: await openEmbeddedCounters(options), cpuUs: [] as number[], heldMs: 0 },
  ];
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const subject of subjects) {
      const { cpuUs, heldMs } = await work(subject.counters);
      subject.cpuUs.push(cpuUs);
      subject.heldMs = Math.max(subject.heldMs, heldMs);
    }
  }
  console.log(
    `${rate} checks a second on ${identifiers} identifiers, rounds of ${values.seconds} s; medians`,
  );
  console.table(
    Object.fromEntries(
      subjects.map(({ name, cpuUs, heldMs }) => [
        name,
        { 'CPU µs/check': round2(median(cpuUs)), 'event loop held, p99 ms': round2(heldMs) },
      ]),
    ),
  );
  const [memory, disk] = subjects;
  for (const key of keys) await disk?.counters.check({ key, set, cost: 1, peek: false });
  await memory?.counters.close();
  await disk?.counters.close();
  console.log(`${Math.round(bytesIn(stateDir) / identifiers)} bytes on disk an identifier`);
  const startedMs = performance.now();
  const reopened = await openEmbeddedCounters(options);
  console.log(`${reopened.size} identifiers read in ${round2((performance.now() - startedMs) / 1000)} s`);
  await reopened.close();
} finally {
  rmSync(stateDir, { recursive: true });
}

/** The process's CPU time a check, that of the thread that writes and of choosing identifiers included. */
async function work(counters: EmbeddedCounters): Promise<{ cpuUs: number; heldMs: number }> {
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let done = 0;
  for (let passedMs = 0; passedMs < Number(values.seconds) * 1000; passedMs = performance.now() - startedMs) {
    const due = Math.floor((passedMs * rate) / 1000) - done;
    await Promise.all(
      Array.from({ length: due }, () =>
        counters.check({ key: keys[randomInt(identifiers)] ?? '', set, cost: 1, peek: false }),
      ),
    );
    done += due;
    await delay(TICK_MS);
  }
  held.disable();
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: (user + system) / done, heldMs: held.percentile(99) / 1e6 };
}

function bytesIn(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
