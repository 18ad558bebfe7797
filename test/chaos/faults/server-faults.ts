import { connect } from 'node:net';
import type { Random } from '../random.ts';
import { type Fault, pause, type Server, within } from '../rigs/rig.ts';

/** Picks the server that a fault is for. */
type Choose = (random: Random) => Promise<Server>;

/** A setting that is another for a while. */
async function turned(server: Server, random: Random, set: string[][], back: string[][]): Promise<string> {
  const ms = random.integer(30, 400);
  try {
    for (const [command = '', ...args] of set) await call(server, command, ...args);
    await pause(ms);
  } finally {
    for (const [command = '', ...args] of back) await call(server, command, ...args);
  }
  return `${server.port} for ${ms} ms`;
}

function call(server: Server, command: string, ...args: (string | number)[]): Promise<unknown> {
  return within(server.client.call(command, ...args), 10_000);
}

/** Short faults of a server that lives, whatever the topology. `pauseMsMax`: longer, and others would take it for dead. */
export function serverFaults(choose: Choose, pauseMsMax: number): readonly Fault[] {
  const short = (name: string, run: (server: Server, random: Random) => Promise<string>): Fault => ({
    name,
    isLong: false,
    run: async (random) => run(await choose(random), random),
  });
  const waiting = async (server: Server, ms: number, ...command: [string, ...(string | number)[]]) => {
    const [name, ...args] = command;
    await call(server, name, ...args);
    await pause(ms);
    return `${server.port} for ${ms} ms`;
  };
  return [
    short('CLIENT KILL', async (server) => {
      const killed = await call(server, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      return `${server.port}, ${killed} connections`;
    }),
    short('CLIENT PAUSE WRITE', (server, random) => {
      const ms = random.integer(20, 400);
      return waiting(server, ms, 'CLIENT', 'PAUSE', ms, 'WRITE');
    }),
    short('CLIENT PAUSE ALL', (server, random) => {
      const ms = random.integer(20, pauseMsMax);
      return waiting(server, ms, 'CLIENT', 'PAUSE', ms, 'ALL');
    }),
    short('SCRIPT FLUSH', async (server) => {
      await call(server, 'SCRIPT', 'FLUSH');
      return String(server.port);
    }),
    short('DEBUG SLEEP', async (server, random) => {
      const ms = random.integer(20, pauseMsMax);
      await call(server, 'DEBUG', 'SLEEP', ms / 1000);
      return `${server.port} for ${ms} ms`;
    }),
    short('BUSY', async (server, random) => {
      const ms = random.integer(20, pauseMsMax);
      await call(server, 'EVAL', SPIN, 0, ms * 1000);
      return `${server.port} for ${ms} ms`;
    }),
    short('MONITOR', async (server, random) => {
      const monitor = connect(server.port, '127.0.0.1');
      monitor.on('error', () => undefined).resume();
      monitor.write('MONITOR\r\n');
      const ms = random.integer(50, 300);
      await pause(ms);
      monitor.destroy();
      return `${server.port} for ${ms} ms`;
    }),
    short('OOM', (server, random) =>
      turned(server, random, [['CONFIG', 'SET', 'maxmemory', '1']], [['CONFIG', 'SET', 'maxmemory', '0']]),
    ),
    short('NOREPLICAS', (server, random) =>
      turned(
        server,
        random,
        [['CONFIG', 'SET', 'min-replicas-to-write', '9']],
        [['CONFIG', 'SET', 'min-replicas-to-write', '0']],
      ),
    ),
    short('NOPERM', (server, random) =>
      turned(
        server,
        random,
        [['ACL', 'SETUSER', 'default', '-evalsha', '-eval']],
        [['ACL', 'SETUSER', 'default', '+evalsha', '+eval']],
      ),
    ),
    {
      name: 'FLUSHALL',
      isLong: false,
      forgetsAll: true,
      run: async (random) => {
        const server = await choose(random);
        await call(server, 'FLUSHALL');
        return String(server.port);
      },
    },
  ];
}

/** Runs for so many microseconds, without a write. */
const SPIN = `local function now() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end
local begin = now()
while now() - begin < tonumber(ARGV[1]) do end
return 1`;

/** Faults that only make sense where nobody else looks after the server. */
export function loneServerFaults(choose: Choose): readonly Fault[] {
  const turning = (name: string, set: string[][], back: string[][]): Fault => ({
    name,
    isLong: false,
    run: async (random) => turned(await choose(random), random, set, back),
  });
  const kill = ['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'];
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
