import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { startRelay } from '../../support/relay.ts';
import { loneServerFaults, serverFaults } from '../faults/server-faults.ts';
import { type Fault, info, pause, type Rig, until } from './rig.ts';

export const SERVER_ARGS = ['--enable-debug-command', 'yes', '--busy-reply-threshold', '10'];

/** One Redis, behind a relay that can fail like a network. */
export async function startSingleRig(): Promise<Rig> {
  let redis: RedisServer = await startRedis({ args: SERVER_ARGS });
  const port = Number(new URL(redis.url).port);
  const relay = await startRelay(port);
  const server = {
    port,
    get client() {
      return redis.client;
    },
  };

  async function restart(downMs: number): Promise<void> {
    await redis.stop();
    await pause(downMs);
    redis = await startRedis({ args: SERVER_ARGS, port });
  }

  const relayed = (
    name: string,
    isLong: boolean,
    begin: () => void,
    end: () => void,
    [least, most] = [20, 400],
  ): Fault => ({
    name,
    isLong,
    run: async (random) => {
      const ms = random.integer(least, most);
      begin();
      await pause(ms);
      end();
      return `${ms} ms`;
    },
  });

  const faults: readonly Fault[] = [
    ...serverFaults(async () => server, 400),
    ...loneServerFaults(async () => server),
    relayed('relay cut', false, relay.cut, () => undefined),
    relayed('relay stalled', false, relay.stall, relay.flow),
    relayed('relay half-open', false, relay.swallow, relay.passAgain),
    relayed('partition', true, relay.swallow, relay.passAgain, [500, 2000]),
    relayed(
      'SIGSTOP',
      true,
      () => process.kill(redis.pid, 'SIGSTOP'),
      () => process.kill(redis.pid, 'SIGCONT'),
      [500, 2000],
    ),
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
    url: `redis://127.0.0.1:${relay.port}`,
    faults,
    masters: async () => (await info(redis.client, 'server')).get('run_id') ?? '',
    areReplicasInStep: async () => true,
    heal: () => until(async () => (await redis.client.ping()) === 'PONG', 5000, 'Redis answers'),
    async stop() {
      await relay.stop();
      await redis.stop();
    },
  };
}
