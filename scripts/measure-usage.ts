/**
 * What counting usage costs: CPU time of one count on the way of a check, of a whole check with the
 * metrics with and without it, and of writing a batch to the embedded database.
 *
 *     node scripts/measure-usage.ts [--checks 200000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createMetrics } from '../src/appliance/metrics.ts';
import { countingWatch } from '../src/appliance/usage.ts';
import type { Check } from '../src/limiter/check.ts';
import { systemClock } from '../src/limiter/clock.ts';
import { identifierKeyer } from '../src/limiter/identifier-key.ts';
import { createLimiter } from '../src/limiter/limiter.ts';
import { parseRule } from '../src/policy/rule-input.ts';
import { EmbeddedCounters } from '../src/stores/embedded/embedded-counters.ts';
import { migrate } from '../src/stores/sql/migrate.ts';
import { openSql } from '../src/stores/sql/open-sql.ts';
import { SqlUsageStore } from '../src/stores/sql/sql-usage-store.ts';
import { UsageCounts } from '../src/stores/usage/usage-counts.ts';

const { values } = parseArgs({ options: { checks: { type: 'string', default: '200000' } } });
const CHECKS = Number(values.checks);
const ROUNDS = 9;
const NAMESPACES = 50;
const KEYS = 20;
/** Checks of one turn of the event loop, as many connections bring them. */
const AT_ONCE = 100;

const rule = parseRule({ limits: [{ algorithm: 'fixed_window', limit: 1_000_000, windowMs: 60_000 }] });
const checks: readonly Check[] = Array.from({ length: NAMESPACES * KEYS }, (_, n) => ({
  namespace: { id: `ns_${n % NAMESPACES}`, projectId: 'prj_1', name: `namespace-${n % NAMESPACES}`, rule },
  keyId: `key_${Math.floor(n / NAMESPACES)}`,
  identifier: `user-${n}@example.org`,
  cost: 1,
  peek: false,
}));
const checkOf = (n: number): Check => checks[n % checks.length] as Check;

/** In CPU time of the thread, so that other processes of a busy machine have no part in it. */
function cpuNs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1000;
}

function countNs(): number {
  const counts = new UsageCounts({ clock: systemClock });
  const verdict = { success: true, degraded: false };
  const beforeNs = cpuNs();
  for (let n = 0; n < CHECKS; n++) counts.count(checkOf(n), verdict, false);
  return (cpuNs() - beforeNs) / CHECKS;
}

async function checkNs(isUsageCounted: boolean): Promise<number> {
  const config = {
    redisUrl: null,
    metricsChronosdbNames: false,
    topIdentifiers: true,
    connectionsMax: 10_000,
  };
  const metrics = createMetrics(config, systemClock);
  const counts = new UsageCounts({ clock: systemClock });
  const limiter = createLimiter({
    counters: new EmbeddedCounters({ clock: systemClock, identifiersMax: 1_000_000 }),
    identifierKey: identifierKeyer(Buffer.alloc(32, 1)),
    onDegraded: () => undefined,
    watch: isUsageCounted ? countingWatch(metrics.checks, counts) : metrics.checks,
  });
  const beforeNs = cpuNs();
  for (let n = 0; n < CHECKS; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => limiter.judge(checkOf(n + index))));
  }
  return (cpuNs() - beforeNs) / CHECKS;
}

async function bestOf(measure: () => number | Promise<number>): Promise<number> {
  let bestNs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) bestNs = Math.min(bestNs, await measure());
  return Math.round(bestNs);
}

console.log(`CPU time, the best of ${ROUNDS}, ${NAMESPACES} namespaces and ${KEYS} keys:`);
console.log(`one count: ${await bestOf(countNs)} ns`);
// In turns, so that a slow minute of the machine is one for both.
const [without, counted] = [[] as number[], [] as number[]];
for (let round = 0; round < ROUNDS; round++) {
  without.push(await checkNs(false));
  counted.push(await checkNs(true));
}
const [withoutNs, countedNs] = [Math.min(...without), Math.min(...counted)].map(Math.round);
console.log(`a check with metrics: without usage ${withoutNs} ns, with it ${countedNs} ns`);

const stateDir = mkdtempSync(join(tmpdir(), 'brume-usage-'));
const sql = await openSql({ databaseUrl: null, stateDir, sqlTimeoutMs: 10_000 }, console);
await migrate(sql);
const store = new SqlUsageStore(sql, systemClock);
const counts = new UsageCounts({ clock: systemClock });
for (const check of checks) counts.count(check, { success: true, degraded: false }, false);
/** As the writer hands them over. */
const BATCH = 250;
const tallies = counts.take().slice(0, BATCH);
for (let number = 1; number <= 3; number++) {
  const [beforeNs, startMs] = [cpuNs(), performance.now()];
  await store.addUsage({ writerId: 'measured', number, tallies });
  const tookMs = performance.now() - startMs;
  const heldMs = (cpuNs() - beforeNs) / 1e6;
  console.log(
    `writing ${tallies.length} tallies: ${tookMs.toFixed(1)} ms, of the event loop ${heldMs.toFixed(1)} ms`,
  );
}
await sql.close();
rmSync(stateDir, { recursive: true });
