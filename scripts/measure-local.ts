/**
 * What `onStoreFailure: local` costs: CPU time of a check with the policy and without, while the store
 * answers; memory of what a node remembers and of what it judges by itself; and how long it takes to merge.
 *
 *     node --expose-gc scripts/measure-local.ts [--checks 200000] [--identifiers 100000]
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { type CounterCheck, CountersError } from '../src/limiter/counters.ts';
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

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
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
let isAway = false;
const switched = new Proxy<MergingCounters>(store, {
  get(target, name: keyof MergingCounters) {
    if (name === 'ping') return async () => !isAway;
    if (!isAway || name === 'nowMs') return target[name]?.bind(target);
    return () => Promise.reject(new CountersError('unavailable', 'switched off'));
  },
});
const local = localOf(switched);
for (let n = 0; n < IDENTIFIERS; n++) await store.check(checkOf(n, undefined));
const empty = heapBytes();
for (let n = 0; n < IDENTIFIERS; n++) await local.check(checkOf(n, 'local'));
const seen = heapBytes();
isAway = true;
for (let n = 0; n < IDENTIFIERS; n++) await local.check(checkOf(n, 'local'));
const judged = heapBytes();
const perIdentifier = (bytes: number) => Math.round(bytes / IDENTIFIERS);
console.log(
  `${perIdentifier(seen - empty)} bytes for each identifier that is remembered, ` +
    `${perIdentifier(judged - seen)} more for each that is judged by this node`,
);
isAway = false;
const startedMs = performance.now();
await local.close();
console.log(
  `${local.stats().merged} identifiers merged in ${Math.round(performance.now() - startedMs)} ms, by the model in this process`,
);
