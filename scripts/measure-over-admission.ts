/**
 * Offers each algorithm more than it may admit, from two nodes on one Redis, over 50 windows of an
 * injected clock, and looks at what was admitted. Fails if more was than the algorithm promises.
 * Prints the table of docs/algorithms.md.
 *
 *     node scripts/measure-over-admission.ts
 */
import { systemClock } from '../src/limiter/clock.ts';
import { RedisCounters } from '../src/stores/redis/redis-counters.ts';
import { freshKey, ready, silentLog } from '../test/support/counter-engines.ts';
import { startRedis } from '../test/support/redis-server.ts';
import { LOADS, type Load, STEPS_PER_WINDOW, WINDOWS } from './over-admission/loads.ts';
import { holderFor, LIMIT, mostAdmitted, PROMISED, type Promised } from './over-admission/promises.ts';

/** A multiple of every window. */
const START_MS = 1_800_000_000_000;
let nowMs = START_MS;

const redis = await startRedis();
const nodes = await Promise.all([node(), node()]);
console.log(
  '| algorithm | load | offered | admitted | most in a window | may be | over | most in any window |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const promised of PROMISED) for (const load of LOADS) await measure(promised, load);
await Promise.all(nodes.map((each) => each.close()));
await redis.stop();

async function measure(promised: Promised, load: Load): Promise<void> {
  const offers = load.offers(LIMIT);
  const key = freshKey();
  const admitted: number[] = Array(WINDOWS * STEPS_PER_WINDOW).fill(0);
  for (let next = 0; next < offers.length; ) {
    const step = offers[next]?.step ?? 0;
    nowMs = START_MS + (step * promised.windowMs) / STEPS_PER_WINDOW;
    // All of one moment at once, so that the nodes meet in Redis.
    const running = [];
    for (; offers[next]?.step === step; next++) {
      const check = { key, set: promised.set, cost: 1, peek: false, ...holderFor(promised) };
      running.push(nodes[offers[next]?.node ?? 0].check(check));
    }
    admitted[step] = (await Promise.all(running)).filter((outcome) => outcome.admitted).length;
  }
  const { own, any } = mostAdmitted(admitted);
  const most = promised.windows === 'any' ? any : own;
  const over = Math.max(0, most - promised.most);
  if (over > 0) process.exitCode = 1;
  const sum = admitted.reduce((total, count) => total + count, 0);
  const cells = [`\`${promised.name}\``, load.name, offers.length, sum, most, promised.most, over, any];
  console.log(`| ${cells.join(' | ')} |`);
}

async function node(): Promise<RedisCounters> {
  const counters = RedisCounters.connect({
    url: redis.url,
    timeoutMs: 10_000,
    clock: systemClock,
    log: silentLog,
    injectedNowMs: () => nowMs,
  });
  await ready(counters);
  return counters;
}
