/**
 * What a check costs in CPU time on one Redis and on a cluster of three masters, side by side: of this process
 * (the counters alone, without HTTP) and of Redis. Rounds of both are interleaved and the medians shown.
 * `node scripts/measure-cluster.ts [--checks N] [--rounds N] [--at-once N,N]`
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { RedisCounters } from '../src/stores/redis/redis-counters.ts';
import { freshKey, setOf, silentLog } from '../test/support/counter-engines.ts';
import { startRedisCluster } from '../test/support/redis-cluster.ts';
import { wholeCluster } from '../test/support/redis-cluster-counters.ts';
import { startRedis } from '../test/support/redis-server.ts';
import { cpuUs } from './cpu-time.ts';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '40000' },
    rounds: { type: 'string', default: '5' },
    'at-once': { type: 'string', default: '1,16,64,256' },
  },
});
const [checksCount, roundsCount] = [Number(values.checks), Number(values.rounds)];

const SET = setOf({ algorithm: 'gcra', limit: 1_000_000, windowMs: 1000 });
const KEYS = Array.from({ length: 10_000 }, freshKey);

const single = await startRedis();
const cluster = await startRedisCluster();
const pidsOf = async () =>
  Promise.all(
    cluster.masters.map(async ({ client }) =>
      Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]),
    ),
  );

interface Target {
  readonly name: string;
  readonly counters: RedisCounters;
  readonly pids: readonly number[];
}

const connect = async (name: string, url: string, pids: readonly number[]): Promise<Target> => {
  const counters = RedisCounters.connect({ url, timeoutMs: 5000, clock: systemClock, log: silentLog });
  await wholeCluster(counters);
  return { name, counters, pids };
};

/** Each caller asks for the next check when the one before is answered, as HTTP's keep-alive connections do. */
async function round({ counters, pids }: Target, atOnce: number) {
  const before = { own: process.cpuUsage(), store: pids.map(cpuUs), atMs: performance.now() };
  let left = checksCount;
  const caller = async () => {
    while (left-- > 0) {
      await counters.check({ key: KEYS[left % KEYS.length] as string, set: SET, cost: 1, peek: false });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const { user, system } = process.cpuUsage(before.own);
  const store = pids.reduce((sum, pid, index) => sum + cpuUs(pid) - (before.store[index] ?? 0), 0);
  return { own: (user + system) / checksCount, store: store / checksCount };
}

function median(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(1);
}

const targets = [
  await connect('one Redis', single.url, [single.pid]),
  await connect('cluster of 3', cluster.url, await pidsOf()),
];
try {
  console.log(`µs of CPU a check, medians of ${roundsCount} rounds of ${checksCount} checks`);
  console.log('at once  store         counters  Redis');
  for (const atOnce of String(values['at-once']).split(',').map(Number)) {
    const rounds = new Map(targets.map((target) => [target, [] as Awaited<ReturnType<typeof round>>[]]));
    for (let turn = 0; turn <= roundsCount; turn++) {
      for (const target of targets) {
        const figures = await round(target, atOnce);
        // The first warms up.
        if (turn > 0) rounds.get(target)?.push(figures);
      }
    }
    for (const [{ name }, figures] of rounds) {
      const [own, store] = [median(figures.map((one) => one.own)), median(figures.map((one) => one.store))];
      console.log(
        `${String(atOnce).padStart(7)}  ${name.padEnd(12)}  ${own.padStart(8)}  ${store.padStart(5)}`,
      );
    }
  }
} finally {
  for (const { counters } of targets) await counters.close();
  await cluster.stop();
  await single.stop();
}
