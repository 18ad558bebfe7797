import { type ClusterServer, type RedisCluster, startRedisCluster } from '../../support/redis-cluster.ts';
import { isolated, networkFaults } from '../faults/network-faults.ts';
import { refusingFaults } from '../faults/refusing-faults.ts';
import { serverFaults } from '../faults/server-faults.ts';
import { Network } from '../network/network.ts';
import type { Random } from '../random.ts';
import { bringUp, portsOf, takeDown } from './processes.ts';
import { type Fault, info, isInStep, pause, type Rig, until, within } from './rig.ts';
import { SERVER_ARGS } from './single-rig.ts';

const NODE_TIMEOUT_MS = 1000;
const PROMOTION_MAX_MS = 20_000;
const SLOTS = 16_384;

/** Three masters, and a replica of each; relays in front of all of them, and of their bus. */
export async function startClusterRig(): Promise<Rig> {
  const network = new Network();
  const cluster = await startRedisCluster({
    hasReplicas: true,
    nodeTimeoutMs: NODE_TIMEOUT_MS,
    args: [...SERVER_ARGS, '--repl-diskless-sync-delay', '0'],
    announce: (port) => network.relayTo(port),
  });
  const chooseMaster = async (random: Random) => random.pick(await mastersOf(cluster));
  return {
    topology: 'cluster',
    url: cluster.url,
    faults: [
      ...serverFaults(chooseMaster, 200),
      ...refusingFaults(chooseMaster, 200),
      ...networkFaults(network, chooseMaster, () => cluster.servers.map(({ port }) => port)),
      ...longFaults(cluster, network),
    ],
    pids: () => cluster.servers.map(({ pid }) => pid),
    masters: async () => {
      const masters = await mastersOf(cluster);
      const ids = await Promise.all(
        masters.map(async ({ port, client }) => {
          const [, epoch] = /cluster_my_epoch:(\d+)/.exec(await clusterInfo(client)) ?? [];
          return `${port} ${(await info(client, 'server')).get('run_id')} ${epoch}`;
        }),
      );
      return ids.sort().join(', ');
    },
    areReplicasInStep: async () => {
      const masters = await mastersOf(cluster);
      for (const master of masters) {
        const replicas = await replicasOf(cluster, master);
        if (replicas.length === 0) return false;
        await isInStep(
          master.client,
          replicas.map(({ client }) => client),
        );
      }
      return masters.length === 3;
    },
    heal: () => heal(cluster, network),
    async stop() {
      await network.stop();
      await cluster.stop();
    },
  };
}

function longFaults(cluster: RedisCluster, network: Network): readonly Fault[] {
  const long = (name: string, run: Fault['run'], forgetsAll = false): Fault => ({
    name,
    isLong: true,
    forgetsAll,
    run,
  });
  const succeeded = async (former: ClusterServer) => {
    const others = cluster.servers.filter((server) => server !== former);
    await until(
      async () => (await mastersOf(cluster, others)).length === 3,
      PROMOTION_MAX_MS,
      'a new master',
    );
    await until(() => areOk(others), PROMOTION_MAX_MS, 'all slots are served');
  };
  const failover = (begin: (former: ClusterServer) => Promise<void>) => async (random: Random) => {
    const former = random.pick(await mastersOf(cluster));
    await begin(former);
    await succeeded(former);
    return `${former.port}`;
  };
  const partition = (isReachedByNodes: boolean) => async (random: Random, nodes: readonly number[]) => {
    const former = random.pick(await mastersOf(cluster));
    const others = cluster.servers.filter((server) => server !== former).map(placeOf);
    const parts = { of: placeOf(former), others, nodes, isReachedByNodes };
    await isolated(network, parts, random, () => succeeded(former));
    return `${former.port}`;
  };
  const orderly = (option: string) => async (random: Random) => {
    const former = random.pick(await mastersOf(cluster));
    const [replica] = await replicasOf(cluster, former);
    if (replica === undefined) throw new Error('no replica');
    await within(replica.client.call('CLUSTER', 'FAILOVER', ...(option === '' ? [] : [option])), 2000);
    const isMaster = async () => (await info(replica.client, 'replication')).get('role') === 'master';
    await until(isMaster, PROMOTION_MAX_MS, 'the replica is master');
    await until(() => areOk(cluster.servers), PROMOTION_MAX_MS, 'all slots are served');
    return `${former.port} to ${replica.port}`;
  };
  return [
    long(
      'kill -9 of a master',
      failover((former) => takeDown(former, network)),
    ),
    long(
      'SIGSTOP of a master',
      failover(async (former) => former.hang()),
    ),
    long('a master cut off', partition(false)),
    long('a master cut off from servers', partition(true)),
    long('CLUSTER FAILOVER', orderly('')),
    long('CLUSTER FAILOVER TAKEOVER', orderly('TAKEOVER')),
    long(
      'a master back at once without data',
      async (random) => {
        const master = random.pick(await mastersOf(cluster));
        await takeDown(master, network);
        await bringUp(master, network);
        await until(() => areOk(cluster.servers), PROMOTION_MAX_MS, 'all slots are served');
        return `${master.port}`;
      },
      true,
    ),
    long('slots moved', async (random) => {
      const masters = await mastersOf(cluster);
      const to = random.pick(masters);
      const from = random.pick(masters.filter((master) => master !== to));
      const slots = await slotsWithKeys(from, random, 6);
      for (const slot of slots) await cluster.moveSlot(slot, to, { keysAtOnce: 5, mayReplace: true });
      return `${slots.join(', ')} from ${from.port} to ${to.port}`;
    }),
    long('a replica away', async (random) => {
      const masters = await mastersOf(cluster);
      const replica = random.pick(cluster.servers.filter((server) => !masters.includes(server)));
      const ms = random.integer(200, 1500);
      replica.hang();
      await pause(ms);
      replica.resume();
      return `${replica.port} hangs for ${ms} ms`;
    }),
  ];
}

function placeOf(server: ClusterServer) {
  return { pid: server.pid, ports: portsOf(server) };
}

/** Who says of itself that it is a master with slots; of two that say so of the same, both. */
async function mastersOf(
  cluster: RedisCluster,
  among: readonly ClusterServer[] = cluster.servers,
): Promise<ClusterServer[]> {
  const owners = await Promise.all(
    among.map(async (server) => {
      const nodes = String(await within(server.client.call('CLUSTER', 'NODES'), 1000).catch(() => ''));
      const own = nodes.split('\n').find((line) => line.includes('myself')) ?? '';
      return own.includes('master') && own.split(' ').length > 8 ? [server] : [];
    }),
  );
  return owners.flat();
}

async function replicasOf(cluster: RedisCluster, master: ClusterServer): Promise<ClusterServer[]> {
  const found = await Promise.all(
    cluster.servers.map(async (server) => {
      if (server === master) return [];
      const replication = await info(server.client, 'replication').catch(() => new Map<string, string>());
      return replication.get('master_port') === String(master.announcedPort) ? [server] : [];
    }),
  );
  return found.flat();
}

async function areOk(servers: readonly ClusterServer[]): Promise<boolean> {
  const infos = await Promise.all(servers.map(({ client }) => clusterInfo(client).catch(() => '')));
  return infos.every((text) => text.includes('cluster_state:ok'));
}

async function clusterInfo(client: ClusterServer['client']): Promise<string> {
  return String(await within(client.call('CLUSTER', 'INFO'), 1000));
}

async function slotsWithKeys(server: ClusterServer, random: Random, count: number): Promise<number[]> {
  const slots = new Set<number>();
  for (let tries = 0; tries < 50 && slots.size < count; tries++) {
    const key = await within(server.client.randomkey(), 1000);
    if (key !== null) slots.add(Number(await server.client.call('CLUSTER', 'KEYSLOT', key)));
  }
  return slots.size > 0 ? [...slots] : [random.integer(0, SLOTS - 1)];
}

async function heal(cluster: RedisCluster, network: Network): Promise<void> {
  network.mend();
  for (const server of cluster.servers) {
    server.resume();
    await bringUp(server, network);
  }
  await until(() => isWhole(cluster), 40_000, 'three masters with a replica each');
  await within(cluster.settled(), 40_000);
}

async function isWhole(cluster: RedisCluster): Promise<boolean> {
  if (!(await areOk(cluster.servers))) return false;
  const masters = await mastersOf(cluster);
  if (masters.length !== 3) return false;
  for (const master of masters) {
    const replicas = await replicasOf(cluster, master);
    if (replicas.length === 0) return false;
    for (const { client } of replicas)
      if ((await info(client, 'replication')).get('master_link_status') !== 'up') return false;
  }
  return true;
}
