/**
 * What a check costs, and how many there are in a second: see scripts/bench. Rounds of all targets
 * are interleaved and the medians shown, since a shared machine is never quiet. Compare the lines
 * of one run with each other, not with another machine's.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createTenant } from '../test/support/admin-socket.ts';
import { startBrume } from '../test/support/brume-process.ts';
import { startNginx } from '../test/support/nginx-server.ts';
import { startRedis } from '../test/support/redis-server.ts';
import { cpuUs } from './cpu-time.ts';

interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  /** The process that decides, and the store that counts for it in another process. */
  readonly pid: number;
  readonly storePid?: number;
}

interface Figures {
  readonly checksPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuUsPerCheck: number;
  readonly storeCpuUsPerCheck: number;
  readonly errors: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
});
const rounds = Number(values.rounds);

/** Never denies: what is measured is the way of a check that passes. */
const RULE = { limits: [{ algorithm: 'gcra', limit: 1_000_000, windowMs: 1000 }] };
/** limit_req judges before the content phase, which `return` alone would skip. */
const NGINX_LIMIT = {
  http: 'limit_req_zone $http_x_identifier zone=bench:10m rate=1000000r/s;',
  server: `
    location / { limit_req zone=bench burst=1000000 nodelay; try_files /none @allowed; }
    location @allowed { return 200 "allowed\\n"; }`,
};

const redis = await startRedis();
const embedded = await startBrume();
const onRedis = await startBrume({ BRUME_REDIS_URL: redis.url });
const nginx = await startNginx(NGINX_LIMIT);

try {
  const keyOf = ({ settings }: typeof embedded) =>
    createTenant(settings.BRUME_ADMIN_SOCKET ?? '', 'bench', { bench: RULE });
  const targets: Target[] = [
    {
      name: 'Brume, embedded',
      url: `${embedded.url}/v1/limit`,
      key: await keyOf(embedded),
      pid: embedded.pid,
    },
    {
      name: 'Brume, Redis',
      url: `${onRedis.url}/v1/limit`,
      key: await keyOf(onRedis),
      pid: onRedis.pid,
      storePid: redis.pid,
    },
    { name: 'nginx limit_req', url: nginx.url, key: 'none', pid: nginx.pid },
  ];
  for (const target of targets) await measure(target, 2);

  const measured = new Map<Target, Figures[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) measured.get(target)?.push(await measure(target, Number(values.seconds)));
  }
  console.log(`${rounds} rounds of ${values.seconds} s, ${values.connections} connections; medians`);
  console.table(Object.fromEntries(targets.map((target) => [target.name, row(measured.get(target) ?? [])])));
} finally {
  await Promise.all([embedded.stop(), onRedis.stop(), nginx.stop()]);
  await redis.stop();
}

async function measure({ url, key, pid, storePid }: Target, seconds: number): Promise<Figures> {
  const before = [cpuUs(pid), cpuUs(storePid)] as const;
  const script = join(import.meta.dirname, 'bench-load.lua');
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', values.connections, '-d', `${seconds}s`, '--timeout', '10s', '-s', script, url],
    ...['--', key],
  ]);
  const { requests, durationUs, p50Us, p99Us, p999Us, errors } = JSON.parse(
    stdout.trim().split('\n').at(-1) ?? '',
  );
  return {
    checksPerSecond: (requests / durationUs) * 1e6,
    p50Ms: p50Us / 1000,
    p99Ms: p99Us / 1000,
    p999Ms: p999Us / 1000,
    cpuUsPerCheck: (cpuUs(pid) - before[0]) / requests,
    storeCpuUsPerCheck: (cpuUs(storePid) - before[1]) / requests,
    errors,
  };
}

function row(figures: Figures[]): Record<string, number> {
  const medianOf = (pick: (one: Figures) => number, digits: number) =>
    Number(median(figures.map(pick)).toFixed(digits));
  return {
    'checks/s': medianOf(({ checksPerSecond }) => checksPerSecond, 0),
    'p50 ms': medianOf(({ p50Ms }) => p50Ms, 2),
    'p99 ms': medianOf(({ p99Ms }) => p99Ms, 2),
    'p99.9 ms': medianOf(({ p999Ms }) => p999Ms, 2),
    'CPU µs/check': medianOf(({ cpuUsPerCheck }) => cpuUsPerCheck, 1),
    'Redis CPU µs/check': medianOf(({ storeCpuUsPerCheck }) => storeCpuUsPerCheck, 1),
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
