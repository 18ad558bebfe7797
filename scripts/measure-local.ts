/**
 * What `onStoreFailure: local` costs: CPU time of a check with the policy and without, while the store
 * answers; memory of what a node remembers, of what it judges by itself, and of what is left of it when all
 * is merged; and how long that takes.
 *
 *     node --expose-gc scripts/measure-local.ts [--checks 200000] [--identifiers 100000]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { type CounterCheck, CountersError, type CountersFault } from '../src/limiter/counters.ts';
import type { MergingCounters } from '../src/limiter/merge.ts';
import { systemTimers } from '../src/stores/cache/timers.ts';
import { EmbeddedCounters } from '../src/stores/embedded/embedded-counters.ts';
import { LocalCounters } from '../src/stores/local/local-counters.ts';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '200000' },
    identifiers: { type: 'string', default: '100000' },
  },
});
const CHECKS = Number(values.checks);
const IDENTIFIERS = Number(values.identifiers);
const ROUNDS = 3;
/** Checks of one turn of the event loop, as many connections bring them. */
const AT_ONCE = 100;
const WINDOW_MS = 3_600_000;

const set = {
  limits: [
    {
      name: 'now',
      algorithm: 'sliding_window',
      mode: 'enforce',
      limit: 1_000_000,
      burst: 1_000_000,
      windowMs: WINDOW_MS,
      identity: WINDOW_MS,
    },
  ],
} as const;

function checkOf(n: number, fallback: CounterCheck['fallback']): CounterCheck {
  const key = String(n).padStart(22, '0');
  return { key, set, cost: 1, peek: false, ...(fallback !== undefined && { fallback }) };
}

function localOf(counters: MergingCounters): LocalCounters {
  return new LocalCounters({
    counters,
    clock: systemClock,
    timers: systemTimers,
    log: { info: console.log, warn: console.log },
    liveNodes: () => 1,
    identifiersMax: IDENTIFIERS,
  });
}

const newStore = () => new EmbeddedCounters({ clock: systemClock, identifiersMax: 16_000_000 });

/** Microseconds of CPU time a check. */
async function cpuOf(local: LocalCounters, fallback: CounterCheck['fallback'], identifiers: number) {
  const before = process.cpuUsage();
  for (let n = 0; n < CHECKS; n += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        local.check(checkOf((n + index) % identifiers, fallback)),
      ),
    );
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CHECKS;
}

/** What is really held, and what the process takes from the system, which comes back later or never. */
function memory(): { heap: number; rss: number } {
  for (let times = 0; times < 2; times++) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}

for (const identifiers of [1000, IDENTIFIERS]) {
  for (let round = 1; round <= ROUNDS; round++) {
    const plain = await cpuOf(localOf(newStore()), undefined, identifiers);
    const remembered = await cpuOf(localOf(newStore()), 'local', identifiers);
    console.log(
      `of ${identifiers} identifiers, round ${round}: ${plain.toFixed(2)} µs a check, ` +
        `${remembered.toFixed(2)} µs with the policy local`,
    );
  }
}

const store = newStore();
let fault: CountersFault | undefined;
const switched = new Proxy<MergingCounters>(store, {
  get(target, name: keyof MergingCounters) {
    if (name === 'partOf') return undefined;
    if (name === 'ping') return async () => fault === undefined;
    if (fault === undefined || name === 'nowMs') return target[name]?.bind(target);
    return () => Promise.reject(new CountersError(fault ?? 'unavailable', 'switched off'));
  },
});
const local = localOf(switched);
for (let n = 0; n < IDENTIFIERS; n++) await store.check(checkOf(n, undefined));

async function checkAll(failing: CountersFault | undefined): Promise<void> {
  fault = failing;
  for (let n = 0; n < IDENTIFIERS; n++) await local.check(checkOf(n, 'local'));
}

const empty = memory();
function show(what: string): void {
  const { heap, rss } = memory();
  const each = Math.round((heap - empty.heap) / IDENTIFIERS);
  const { identifiers, unsure } = local.stats();
  console.log(
    `${what}: ${each} bytes an identifier; ${Math.round((rss - empty.rss) / 2 ** 20)} MiB more of the system ` +
      `(${identifiers} judged here, ${unsure} unsure)`,
  );
}

async function merged(): Promise<void> {
  fault = undefined;
  const startedMs = performance.now();
  while (local.stats().identifiers > 0) await delay(5);
  console.log(`  merged in ${Math.round(performance.now() - startedMs)} ms, by the model in this process`);
}

await checkAll(undefined);
show('remembered');
for (let outage = 1; outage <= 3; outage++) {
  await checkAll('unavailable');
  show(`judged by this node, outage ${outage}`);
  await merged();
  show('when all is merged');
}
await checkAll('timeout');
show('judged by this node, timed out');
await merged();
show('unsure, when the store answers again');
await local.close();
