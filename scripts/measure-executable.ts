/**
 * What the executable costs: its size, the time and the CPU from its start to `/ready`, and the memory that it
 * then has, idle, on embedded stores with nothing in them.
 *
 *     node scripts/measure-executable.ts [FILE] [--starts 5]
 *
 * FILE is what scripts/package has made for this machine; without it, the newest in packages/.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/free-port.ts';
import { cpuUs } from './cpu-time.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { starts: { type: 'string', default: '5' } },
});
const STARTS = Number(values.starts);
/** After which it is idle: what the start has left is collected, and the pools have grown as they do. */
const IDLE_MS = 5000;

const executable = positionals[0] ?? newest();
const directory = mkdtempSync(join(tmpdir(), 'brume-measured-'));
try {
  const starts = [];
  for (let start = 0; start < STARTS; start++) starts.push(await measureStart(start === STARTS - 1));
  // The first one migrates the schema.
  const [first, ...later] = starts;
  const times = later.map(({ readyMs }) => readyMs).sort((one, other) => one - other);
  const last = starts.at(-1);
  console.log(executable);
  console.log(`size                 ${mebibytes(statSync(executable).size)}`);
  console.log(`first start to ready ${first?.readyMs.toFixed(0)} ms, with an empty directory`);
  console.log(
    `start to ready       ${times.at(times.length >> 1)?.toFixed(0)} ms, the median of ${times.length}`,
  );
  const cpu = later.map(({ cpuMs }) => cpuMs).sort((one, other) => one - other);
  console.log(`CPU of a start       ${cpu.at(cpu.length >> 1)?.toFixed(0)} ms, the median`);
  console.log(`idle memory          ${last?.memory}, ${IDLE_MS / 1000} s after that`);
} finally {
  rmSync(directory, { recursive: true });
}

interface Measured {
  readonly readyMs: number;
  /** On all cores together. */
  readonly cpuMs: number;
  readonly memory: string;
}

async function measureStart(isLast: boolean): Promise<Measured> {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn(executable, ['serve'], {
    env: {
      BRUME_LISTEN: `127.0.0.1:${port}`,
      BRUME_MANAGEMENT_LISTEN: `127.0.0.1:${await freePort()}`,
      BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
      BRUME_STATE_DIR: directory,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      await delay(2);
    }
    const readyMs = performance.now() - startMs;
    const cpuMs = cpuUs(child.pid ?? 0) / 1000;
    if (isLast) await delay(IDLE_MS);
    return { readyMs, cpuMs, memory: memoryOf(child.pid ?? 0) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`, { headers: { connection: 'close' } });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Resident, of which what the kernel has read from the executable could be dropped. */
function memoryOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return `${mebibytes(bytes('VmRSS'))}, of it ${mebibytes(bytes('RssAnon'))} of its own`;
}

function newest(): string {
  const made = globSync(join(import.meta.dirname, '../packages/brume-*-linux-amd64'));
  const [path] = made.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  if (path === undefined) throw new Error('packages/ holds no executable: run scripts/package');
  return path;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
