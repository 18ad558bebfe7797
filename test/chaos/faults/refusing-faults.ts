import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { type Choose, call, type Fault, info, pause, type Server, until } from '../rigs/rig.ts';

const BGSAVE_MAX_MS = 10_000;

/** Faults for which a server that lives refuses to count, or can't. `pauseMsMax`: of one that others look after. */
export function refusingFaults(choose: Choose, pauseMsMax: number): readonly Fault[] {
  const short = (name: string, run: (server: Server, random: Random) => Promise<string>): Fault => ({
    name,
    isLong: false,
    run: async (random) => run(await choose(random), random),
  });
  const turning = (name: string, set: Command[], back: Command[]) =>
    short(name, (server, random) => turned(server, random, set, back));
  return [
    turning('OOM', [['CONFIG', 'SET', 'maxmemory', '1']], [['CONFIG', 'SET', 'maxmemory', '0']]),
    turning(
      'NOREPLICAS',
      [['CONFIG', 'SET', 'min-replicas-to-write', '9']],
      [['CONFIG', 'SET', 'min-replicas-to-write', '0']],
    ),
    turning(
      'NOPERM',
      [['ACL', 'SETUSER', 'default', '-evalsha', '-eval']],
      [['ACL', 'SETUSER', 'default', '+evalsha', '+eval']],
    ),
    short('MISCONF', misconf),
    short('LOADING', (server, random) => loading(server, random.integer(50, pauseMsMax))),
    {
      name: 'WRONGTYPE',
      isLong: false,
      forgetsBrief: true,
      run: async (random) => {
        const server = await choose(random);
        return `${server.port}, ${await call(server, 'EVAL', MISTYPE, 0)} keys`;
      },
    },
  ];
}

/** Faults that only make sense where nobody else looks after the server. */
export function loneServerFaults(choose: Choose): readonly Fault[] {
  const turning = (name: string, set: Command[], back: Command[]): Fault => ({
    name,
    isLong: false,
    run: async (random) => turned(await choose(random), random, set, back),
  });
  const kill: Command = ['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'];
  return [
    // Of a master that isn't there nothing comes, so that nothing is lost.
    turning('READONLY', [['REPLICAOF', '127.0.0.1', '1']], [['REPLICAOF', 'NO', 'ONE']]),
    turning(
      'NOAUTH',
      [['CONFIG', 'SET', 'requirepass', 'other'], kill],
      [['CONFIG', 'SET', 'requirepass', '']],
    ),
    turning(
      'maxclients',
      [['CONFIG', 'SET', 'maxclients', '1'], kill],
      [['CONFIG', 'SET', 'maxclients', '10000']],
    ),
  ];
}

type Command = readonly [string, ...string[]];

/** A setting that is another for a while. */
async function turned(
  server: Server,
  random: Random,
  set: readonly Command[],
  back: readonly Command[],
): Promise<string> {
  const ms = random.integer(30, 400);
  try {
    for (const [command, ...args] of set) await call(server, command, ...args);
    await pause(ms);
  } finally {
    for (const [command, ...args] of back) await call(server, command, ...args);
  }
  return `${server.port} for ${ms} ms`;
}

/** A snapshot could not be written: nobody makes files in /proc. */
async function misconf(server: Server, random: Random): Promise<string> {
  const ms = random.integer(30, 400);
  const { dir } = await files(server);
  try {
    await call(server, 'CONFIG', 'SET', 'dir', '/proc');
    await until(
      async () => /started/.test(String(await call(server, 'BGSAVE'))),
      BGSAVE_MAX_MS,
      'a snapshot is begun',
    );
    const hasFailed = async () =>
      (await info(server.client, 'persistence')).get('rdb_last_bgsave_status') === 'err';
    await until(hasFailed, BGSAVE_MAX_MS, 'a snapshot has failed');
    await call(server, 'CONFIG', 'SET', 'save', '3600 1');
    await pause(ms);
  } finally {
    await call(server, 'CONFIG', 'SET', 'save', '');
    await call(server, 'CONFIG', 'SET', 'dir', dir);
  }
  return `${server.port} for ${ms} ms`;
}

/** Everything is written into a file and read from there, with a pause after each key. */
async function loading(server: Server, ms: number): Promise<string> {
  const keys = Number(await call(server, 'DBSIZE'));
  try {
    await call(server, 'CONFIG', 'SET', 'loading-process-events-interval-bytes', 1024);
    await call(server, 'CONFIG', 'SET', 'key-load-delay', Math.ceil((ms * 1000) / Math.max(1, keys)));
    await call(server, 'DEBUG', 'RELOAD');
  } finally {
    await call(server, 'CONFIG', 'SET', 'key-load-delay', 0);
    const { dir, dbfilename } = await files(server);
    // A server that is started again later would begin with it.
    rmSync(join(dir, dbfilename), { force: true });
  }
  return `${server.port}, ${keys} keys in ${ms} ms`;
}

async function files(server: Server): Promise<{ dir: string; dbfilename: string }> {
  const [, dir] = (await call(server, 'CONFIG', 'GET', 'dir')) as string[];
  const [, dbfilename] = (await call(server, 'CONFIG', 'GET', 'dbfilename')) as string[];
  if (dir === undefined || dbfilename === undefined) throw new Error('Redis does not say where its file is');
  return { dir, dbfilename };
}

/** Makes sets of the counters that are gone in some seconds anyhow. */
const MISTYPE = `local mistyped, cursor = 0, '0'
repeat
  local found = redis.call('SCAN', cursor, 'COUNT', 1000)
  cursor = found[1]
  for _, key in ipairs(found[2]) do
    local ms = redis.call('PTTL', key)
    if ms > 0 and ms < 4000 and string.match(key, '^{p%d+}[%w_-]+$') then
      redis.call('DEL', key)
      redis.call('SADD', key, 'another type')
      redis.call('PEXPIRE', key, ms)
      mistyped = mistyped + 1
    end
  end
until cursor == '0'
return mistyped`;
