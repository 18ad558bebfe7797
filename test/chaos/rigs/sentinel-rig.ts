import { type RigProcess, type SentinelRig, startSentinels } from '../../support/sentinels.ts';
import { serverFaults } from '../faults/server-faults.ts';
import type { Random } from '../random.ts';
import { type Fault, info, isInStep, pause, type Rig, until, within } from './rig.ts';
import { SERVER_ARGS } from './single-rig.ts';

/** A machine with few cores stops for longer than the 300 ms that would do elsewhere. */
const DOWN_AFTER_MS = 500;
const PROMOTION_MAX_MS = 20_000;

/** A master, two replicas and three Sentinels. */
export async function startSentinelRig(): Promise<Rig> {
  const rig = await startSentinels({ downAfterMs: DOWN_AFTER_MS, args: SERVER_ARGS });
  const killed = new Set<RigProcess>();
  return {
    topology: 'sentinel',
    url: rig.url,
    faults: [...serverFaults(() => rig.master(), 200), ...longFaults(rig, killed)],
    masters: async () => {
      const master = await within(rig.master(), 5000);
      return `${master.port} ${(await info(master.client, 'server')).get('run_id')}`;
    },
    areReplicasInStep: async () => {
      const master = await within(rig.master(), 1000);
      return isInStep(
        master.client,
        replicasOf(rig, master).map(({ client }) => client),
      );
    },
    heal: () => heal(rig, killed),
    stop: () => rig.stop(),
  };
}

/** `killed`: whoever has to be started again. */
function longFaults(rig: SentinelRig, killed: Set<RigProcess>): readonly Fault[] {
  const long = (name: string, run: (random: Random) => Promise<string>): Fault => ({
    name,
    isLong: true,
    run,
  });
  const away = async (process: RigProcess, how: 'kill' | 'hang', ms: number) => {
    if (how === 'kill') await process.kill();
    else process.hang();
    await pause(ms);
    if (how === 'kill') await process.start();
    else process.resume();
    return `${how} ${process.port} for ${ms} ms`;
  };
  return [
    long('kill -9 of the master', async () => {
      const former = await rig.master();
      killed.add(former);
      await former.kill();
      const master = await within(rig.promotedInPlaceOf(former), PROMOTION_MAX_MS);
      return `${former.port}, promoted ${master.port}`;
    }),
    long('SIGSTOP of the master', async () => {
      const former = await rig.master();
      former.hang();
      const master = await within(rig.promotedInPlaceOf(former), PROMOTION_MAX_MS);
      return `${former.port}, promoted ${master.port}`;
    }),
    long('SENTINEL FAILOVER', async () => {
      const former = await rig.master();
      const master = await within(rig.promote(), PROMOTION_MAX_MS);
      return `${former.port}, promoted ${master.port}`;
    }),
    long('a Sentinel away', async (random) => {
      const sentinel = random.pick(rig.sentinels);
      return away(sentinel, random.pick(['kill', 'hang'] as const), random.integer(200, 1500));
    }),
    long('a replica away', async (random) => {
      const replica = random.pick(replicasOf(rig, await rig.master()));
      return away(replica, random.pick(['kill', 'hang'] as const), random.integer(200, 1000));
    }),
  ];
}

function replicasOf(rig: SentinelRig, master: RigProcess): RigProcess[] {
  return rig.servers.filter((server) => server !== master);
}

/** Whoever is down comes back, and follows the master that the Sentinels name; they see two good replicas. */
async function heal(rig: SentinelRig, killed: Set<RigProcess>): Promise<void> {
  for (const process of [...rig.servers, ...rig.sentinels]) process.resume();
  for (const process of killed) await process.start();
  killed.clear();
  await until(() => areAllInStep(rig), 30_000, 'the master has its replicas');
}

async function areAllInStep(rig: SentinelRig): Promise<boolean> {
  const master = await within(rig.master(), 1000);
  const own = await info(master.client, 'replication');
  if (own.get('role') !== 'master' || own.get('connected_slaves') !== '2') return false;
  for (const { client } of replicasOf(rig, master))
    if ((await info(client, 'replication')).get('master_link_status') !== 'up') return false;
  const views = await Promise.all(
    rig.sentinels.map(({ client }) => within(client.call('SENTINEL', 'REPLICAS', 'mymaster'), 1000)),
  );
  return views.every((view) => (view as string[][]).filter(isGood).length === 2);
}

function isGood(replica: readonly string[]): boolean {
  const field = (name: string) => replica[replica.indexOf(name) + 1];
  return field('flags') === 'slave' && field('master-link-status') === 'ok';
}
