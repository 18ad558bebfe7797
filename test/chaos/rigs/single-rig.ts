import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { networkFaults } from '../faults/network-faults.ts';
import { loneServerFaults, refusingFaults } from '../faults/refusing-faults.ts';
import { serverFaults } from '../faults/server-faults.ts';
import { Network } from '../network/network.ts';
import { type Fault, info, pause, type Rig, until } from './rig.ts';

export const SERVER_ARGS = [
  ...['--enable-debug-command', 'yes', '--enable-protected-configs', 'yes'],
  ...['--busy-reply-threshold', '10'],
];

/** One Redis, behind a relay that can fail like a network. */
export async function startSingleRig(): Promise<Rig> {
  const network = new Network();
  let redis: RedisServer = await startRedis({ args: SERVER_ARGS });
  const port = Number(new URL(redis.url).port);
  const relayPort = await network.relayTo(port);
  const server = {
    port,
    get client() {
      return redis.client;
    },
  };
  const choose = async () => server;

  async function restart(downMs: number): Promise<void> {
    await network.refuse(port);
    await redis.stop();
    await pause(downMs);
    redis = await startRedis({ args: SERVER_ARGS, port });
    await network.accept(port);
  }

  const faults: readonly Fault[] = [
    ...serverFaults(choose, 400),
    ...refusingFaults(choose, 400),
    ...loneServerFaults(choose),
    ...networkFaults(network, choose, () => [port]),
    {
      name: 'SIGSTOP',
      isLong: true,
      run: async (random) => {
        const ms = random.integer(500, 2000);
        process.kill(redis.pid, 'SIGSTOP');
        await pause(ms);
        process.kill(redis.pid, 'SIGCONT');
        return `${ms} ms`;
      },
    },
    {
      name: 'kill -9, and back without data',
      isLong: true,
      forgetsAll: true,
      run: async (random) => {
        const ms = random.integer(0, 1000);
        await restart(ms);
        return `down for ${ms} ms`;
      },
    },
  ];

  return {
    topology: 'single',
    url: `redis://127.0.0.1:${relayPort}`,
    faults,
    pids: () => [redis.pid],
    masters: async () => (await info(redis.client, 'server')).get('run_id') ?? '',
    areReplicasInStep: async () => true,
    heal: () => until(async () => (await redis.client.ping()) === 'PONG', 5000, 'Redis answers'),
    async stop() {
      await network.stop();
      await redis.stop();
    },
  };
}
