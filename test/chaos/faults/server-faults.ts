import { connect } from 'node:net';
import type { Random } from '../random.ts';
import { type Choose, call, type Fault, pause, type Server } from '../rigs/rig.ts';

/** Short faults of a server that lives and goes on counting, whatever the topology. `pauseMsMax`: longer, and others would take it for dead. */
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
