import type { RigProcess } from '../../support/rig-process.ts';
import { type SentinelRig, startSentinels } from '../../support/sentinels.ts';
import { isolated, networkFaults } from '../faults/network-faults.ts';
import { refusingFaults } from '../faults/refusing-faults.ts';
import { serverFaults } from '../faults/server-faults.ts';
import { Network } from '../network/network.ts';
import type { Random } from '../random.ts';
import { bringUp, portsOf, takeDown } from './processes.ts';
import { type Fault, info, isInStep, pause, type Rig, until, within } from './rig.ts';
import { SERVER_ARGS } from './single-rig.ts';

/** A machine with few cores stops for longer than the 300 ms that would do elsewhere, and so do the relays. */
const DOWN_AFTER_MS = 1000;
const PROMOTION_MAX_MS = 20_000;
/**
 * So that Sentinels make a former master a replica after 2 s and not 8, ask all servers who they are each second
 * and not every ten, and are not out of service for 30 s where the machine stops for 2.
 */
const SENTINEL_PERIODS = ['publish-period', '500', 'info-period', '1000', 'tilt-period', '1000'];

/** A master, two replicas and three Sentinels, each behind a relay. */
export async function startSentinelRig(): Promise<Rig> {
  const network = new Network();
  const rig = await startSentinels({
    downAfterMs: DOWN_AFTER_MS,
    args: SERVER_ARGS,
    announce: (port) => network.relayTo(port),
  });
  await hurry(rig);
  const processes = [...rig.servers, ...rig.sentinels];
  const all = () => processes.map(({ port }) => port);
  const choose = () => rig.master();
  let epochMax = 0;
  return {
    topology: 'sentinel',
    url: rig.url,
    faults: [
      ...serverFaults(choose, 200),
      ...refusingFaults(choose, 200),
      ...networkFaults(network, choose, all),
      ...longFaults(rig, network),
    ],
    pids: () => rig.servers.map(({ pid }) => pid),
    masters: async () => {
      const master = await within(rig.master(), 5000);
      epochMax = Math.max(epochMax, ...(await epochs(rig)));
      return `${master.port} ${(await info(master.client, 'server')).get('run_id')} ${epochMax}`;
    },
    areReplicasInStep: async () => {
      const master = await within(rig.master(), 1000);
      return isInStep(
        master.client,
        replicasOf(rig, master).map(({ client }) => client),
      );
    },
    heal: () => heal(rig, network),
    async stop() {
      await network.stop();
      await rig.stop();
    },
  };
}

function longFaults(rig: SentinelRig, network: Network): readonly Fault[] {
  const long = (name: string, run: Fault['run']): Fault => ({ name, isLong: true, run });
  const failover = (begin: (former: RigProcess) => Promise<void>) => async () => {
    await until(() => canFailOver(rig), PROMOTION_MAX_MS, 'the Sentinels see two good replicas');
    const former = await rig.master();
    await begin(former);
    const master = await within(rig.promotedInPlaceOf(former), PROMOTION_MAX_MS);
    return `${former.port}, promoted ${master.port}`;
  };
  const partition = (isReachedByNodes: boolean) => async (random: Random, nodes: readonly number[]) => {
    await until(() => canFailOver(rig), PROMOTION_MAX_MS, 'the Sentinels see two good replicas');
    const former = await rig.master();
    const others = [...replicasOf(rig, former), ...rig.sentinels].map(placeOf);
    const promoted = () => within(rig.promotedInPlaceOf(former), PROMOTION_MAX_MS);
    await isolated(network, { of: placeOf(former), others, nodes, isReachedByNodes }, random, promoted);
    return `${former.port}`;
  };
  const away = async (process: RigProcess, how: 'kill' | 'hang', ms: number) => {
    if (how === 'kill') await takeDown(process, network);
    else process.hang();
    await pause(ms);
    if (how === 'kill') await bringUp(process, network);
    else process.resume();
    return `${how} ${process.port} for ${ms} ms`;
  };
  return [
    long(
      'kill -9 of the master',
      failover((former) => takeDown(former, network)),
    ),
    long(
      'SIGSTOP of the master',
      failover(async (former) => former.hang()),
    ),
    long(
      'SENTINEL FAILOVER',
      failover(async () => void (await rig.promote())),
    ),
    long('the master cut off', partition(false)),
    long('the master cut off from servers', partition(true)),
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

function placeOf(server: RigProcess) {
  return { pid: server.pid, ports: portsOf(server) };
}

function replicasOf(rig: SentinelRig, master: RigProcess): RigProcess[] {
  return rig.servers.filter((server) => server !== master);
}

/** Whoever is down comes back, and follows the master that the Sentinels name. */
async function heal(rig: SentinelRig, network: Network): Promise<void> {
  network.mend();
  for (const process of [...rig.servers, ...rig.sentinels]) {
    process.resume();
    await bringUp(process, network);
  }
  await hurry(rig);
  await until(() => areAllInStep(rig), 30_000, 'the master has its replicas');
}

/** Of the last failover that each of them knows; of those that answer. */
async function epochs(rig: SentinelRig): Promise<number[]> {
  const answers = await Promise.all(
    rig.sentinels.map(({ client }) =>
      within(client.call('SENTINEL', 'MASTER', 'mymaster'), 200).catch(() => undefined),
    ),
  );
  return answers.flatMap((answer) =>
    Array.isArray(answer) ? [Number(answer[answer.indexOf('config-epoch') + 1])] : [],
  );
}

/** They forget it when they are started again. */
async function hurry(rig: SentinelRig): Promise<void> {
  for (const { client } of rig.sentinels)
    await within(client.call('SENTINEL', 'DEBUG', ...SENTINEL_PERIODS), 5000);
}

async function areAllInStep(rig: SentinelRig): Promise<boolean> {
  const master = await within(rig.master(), 1000);
  const own = await info(master.client, 'replication');
  if (own.get('role') !== 'master' || own.get('connected_slaves') !== '2') return false;
  for (const { client } of replicasOf(rig, master))
    if ((await info(client, 'replication')).get('master_link_status') !== 'up') return false;
  return true;
}

/** They learn of it by and by; before, none of the replicas may be good enough for them. */
async function canFailOver(rig: SentinelRig): Promise<boolean> {
  const views = await Promise.all(
    rig.sentinels.map(({ client }) => within(client.call('SENTINEL', 'REPLICAS', 'mymaster'), 1000)),
  );
  return views.every((view) => (view as string[][]).filter(isGood).length === 2);
}

function isGood(replica: readonly string[]): boolean {
  const field = (name: string) => replica[replica.indexOf(name) + 1];
  return field('flags') === 'slave' && field('master-link-status') === 'ok';
}
