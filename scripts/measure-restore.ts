/**
 * How long checks take while quotas are given back to a Redis that lost them, beside the same checks with
 * nothing to restore: `node scripts/measure-restore.ts [CHECKPOINTS]`. Pages come from memory here; a node
 * reads them from its database, which is another process or thread. Needs redis-server.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ENDLESS_MS } from '../src/limiter/calendar.ts';
import { systemClock } from '../src/limiter/clock.ts';
import type { CheckpointStore, QuotaCheckpoint } from '../src/stores/checkpoints/quota-checkpoint.ts';
import { restoreAll } from '../src/stores/checkpoints/restore-all.ts';
import { RedisCounters } from '../src/stores/redis/redis-counters.ts';
import { ready, setOf, silentLog } from '../test/support/counter-engines.ts';
import { startRedis } from '../test/support/redis-server.ts';

const count = Number(process.argv[2] ?? 100_000);
/** Between two pages, as CheckpointKeeper has it. */
const PAUSE_MS = 5;
/** Between two checks. */
const CHECK_EVERY_MS = 2;
const SET = setOf({ algorithm: 'gcra', limit: 1_000_000, windowMs: 3_600_000 });

const redis = await startRedis();
const counters = RedisCounters.connect({
  url: redis.url,
  timeoutMs: 5000,
  clock: systemClock,
  log: silentLog,
});
await ready(counters);

const checkpoints: readonly QuotaCheckpoint[] = Array.from({ length: count }, () => ({
  key: randomBytes(16).toString('base64url'),
  name: 'all',
  identity: 7,
  startMs: 0,
  endMs: ENDLESS_MS,
  used: 5,
  observedMs: 1,
}));

/** Pages of the checkpoints, one after the other. */
function pages(): CheckpointStore['restorePage'] {
  let next = 0;
  return async ({ limit }, restore) => {
    const page = checkpoints.slice(next, next + limit);
    next += limit;
    await restore(page);
    return page;
  };
}

/** Milliseconds that each check took until `isOver`. */
async function checksUntil(isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const startMs = performance.now();
    await counters.check({ key: randomBytes(16).toString('base64url'), set: SET, cost: 1, peek: false });
    took.push(performance.now() - startMs);
    await delay(CHECK_EVERY_MS);
  }
  return took;
}

function report(title: string, took: readonly number[]): void {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  console.log(
    `${title}: ${took.length} checks, median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
  );
}

async function quiet(): Promise<void> {
  const endMs = performance.now() + 5000;
  report('nothing restored', await checksUntil(() => performance.now() > endMs));
}

await quiet();
let isRestored = false;
const startMs = performance.now();
const restoring = restoreAll({
  store: { restorePage: pages() } as CheckpointStore,
  counters,
  nowMs: systemClock.nowMs(),
  pause: (ms) => delay(ms),
  pauseMs: PAUSE_MS,
  assertWanted: () => undefined,
}).finally(() => {
  isRestored = true;
});
const took = await checksUntil(() => isRestored);
const { raised } = await restoring;
report('while restoring', took);
console.log(`${raised} quotas restored in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
await quiet();
await counters.close();
await redis.stop();
