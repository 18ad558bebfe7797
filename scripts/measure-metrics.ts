/**
 * What the metrics cost: CPU time of a check with and without them, one after the other in one process,
 * and how long reading them holds the event loop with 500 namespaces.
 *
 *     node scripts/measure-metrics.ts [--checks 200000]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createMetrics, type Metrics } from '../src/appliance/metrics.ts';
import type { Check } from '../src/limiter/check.ts';
import { systemClock } from '../src/limiter/clock.ts';
import { identifierKeyer } from '../src/limiter/identifier-key.ts';
import { createLimiter } from '../src/limiter/limiter.ts';
import { parseRule } from '../src/policy/rule-input.ts';
import { EmbeddedCounters } from '../src/stores/embedded/embedded-counters.ts';

const { values } = parseArgs({ options: { checks: { type: 'string', default: '200000' } } });
const CHECKS = Number(values.checks);
const ROUNDS = 3;
const NAMESPACES = 500;
/** Checks of one turn of the event loop, as many connections bring them. */
const AT_ONCE = 100;

const rule = parseRule({ limits: [{ algorithm: 'fixed_window', limit: 1_000_000, windowMs: 60_000 }] });
const namespaces = Array.from({ length: NAMESPACES }, (_, n) => ({
  id: `ns_${n}`,
  projectId: 'prj_0123456789ABCDEFGHJKMNPQ',
  name: `namespace-${n}`,
  rule,
}));

function metricsWith(topIdentifiers: boolean): Metrics {
  const config = { redisUrl: null, metricsChronosdbNames: true, topIdentifiers, connectionsMax: 10_000 };
  return createMetrics(config, systemClock);
}

/** Nanoseconds of CPU time a check. */
async function cpuNsPerCheck(metrics: Metrics | undefined, identifierOf: (n: number) => string) {
  const limiter = createLimiter({
    counters: new EmbeddedCounters({ clock: systemClock, identifiersMax: 16_000_000 }),
    identifierKey: identifierKeyer(Buffer.alloc(32, 1)),
    onDegraded: () => undefined,
    ...(metrics && { watch: metrics.checks }),
  });
  const before = process.cpuUsage();
  for (let n = 0; n < CHECKS; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => limiter.judge(checkOf(n + index))));
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / CHECKS;

  function checkOf(n: number): Check {
    const namespace = namespaces[n % 50] ?? { id: '', projectId: '', name: '', rule };
    return { namespace, identifier: identifierOf(n), cost: 1, peek: false };
  }
}

const streams: Readonly<Record<string, (n: number) => string>> = {
  'of 1,000 identifiers': (n) => `user-${n % 1000}@example.org`,
  'each of a new identifier': (n) => `user-${n}@example.org`,
};
for (const [stream, identifierOf] of Object.entries(streams)) {
  const ways = { without: undefined, metrics: metricsWith(false), 'and top identifiers': metricsWith(true) };
  const best: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [way, metrics] of Object.entries(ways)) {
      best[way] = Math.min(best[way] ?? Number.POSITIVE_INFINITY, await cpuNsPerCheck(metrics, identifierOf));
    }
  }
  const shown = Object.entries(best).map(([way, ns]) => `${way} ${Math.round(ns)} ns`);
  console.log(`CPU time a check, ${stream}, the best of ${ROUNDS}: ${shown.join(', ')}`);
}

const metrics = metricsWith(true);
const reasons = [
  null,
  'limit',
  'quota',
  'blocked',
  'exempt',
  'impossible',
  'lease_required',
  'store_unavailable',
];
for (const namespace of namespaces) {
  for (const reason of reasons) {
    const success = reason === null || reason === 'exempt';
    const check = { namespace, identifier: 'ann', peek: false };
    metrics.checks.onVerdict(check, { success, reason, degraded: false });
  }
}
for (let reading = 1; reading <= 10; reading++) {
  let lastMs = performance.now();
  let heldMs = 0;
  let isDone = false;
  const look = (): void => {
    heldMs = Math.max(heldMs, performance.now() - lastMs);
    lastMs = performance.now();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  const startedMs = performance.now();
  const text = await metrics.registry.text('prometheus');
  const tookMs = performance.now() - startedMs;
  await pause(2);
  isDone = true;
  const lines = text.split('\n').length;
  console.log(
    `reading ${reading}: ${lines} lines in ${tookMs.toFixed(1)} ms, longest hold ${heldMs.toFixed(1)} ms`,
  );
}
process.exit(0);
