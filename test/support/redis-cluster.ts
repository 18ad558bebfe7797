import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SLOTS } from '../../src/stores/redis/cluster/slot.ts';
import { type ClusterServer, type StartedServer, startedServer } from './cluster-server.ts';

export type { ClusterServer } from './cluster-server.ts';

/** A throw-away Redis Cluster on loopback: masters first, then one replica for each, if any. */
export interface RedisCluster {
  /** `redis+cluster://127.0.0.1:PORT,…` */
  readonly url: string;
  readonly servers: readonly ClusterServer[];
  readonly masters: readonly ClusterServer[];
  /** That of the master with this index. */
  readonly replicas: readonly ClusterServer[];
  /** Who says that it has the slot. */
  masterOf(slot: number): Promise<ClusterServer>;
  /**
   * Moves a slot as redis-cli does, some keys at a time. `onKeys` is called after each portion, with how many
   * keys are still to go.
   */
  moveSlot(slot: number, to: ClusterServer, options?: MoveOptions): Promise<void>;
  /** A planned failover: the replica takes over from its master, which loses nothing. */
  failover(replica: ClusterServer): Promise<void>;
  /** Until all nodes agree that all slots are served. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

interface MoveOptions {
  readonly keysAtOnce?: number;
  /** A former master that was killed may have kept a key that it had passed on: the moved one counts. False if absent. */
  readonly mayReplace?: boolean;
  readonly onOpen?: () => Promise<void>;
  readonly onKeys?: () => Promise<void>;
}

export interface RedisClusterOptions {
  readonly masters?: number;
  readonly hasReplicas?: boolean;
  /** After so long a silent node is taken for dead. */
  readonly nodeTimeoutMs?: number;
  readonly args?: readonly string[];
  /** The servers' own, for the user `default`. */
  readonly password?: string;
  /** By this certificate the nodes speak TLS with each other and at the ports of the URL, `rediss+cluster://…`. */
  readonly tls?: { readonly certPath: string; readonly keyPath: string };
  /** Asked for the port, a relay's perhaps, by which others shall know what listens at this one; absent: the same. */
  readonly announce?: (port: number) => Promise<number>;
}

/** A planned failover that did not come about by then is given up by Redis, and can be asked for again. */
const FAILOVER_MS = 5500;

export async function startRedisCluster({
  masters: masterCount = 3,
  hasReplicas = false,
  nodeTimeoutMs = 2000,
  args = [],
  password,
  tls,
  announce = async (port) => port,
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'brume-cluster-'));
  const settings = [
    ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)],
    ...(password === undefined ? [] : ['--requirepass', password, '--masterauth', password]),
    ...(tls === undefined ? [] : ['--tls-cluster', 'yes', '--tls-replication', 'yes', ...tlsFiles(tls)]),
    ...args,
  ];
  const count = masterCount * (hasReplicas ? 2 : 1);
  const servers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startedServer({
        directory: join(directory, String(index)),
        settings,
        password,
        hasTls: tls !== undefined,
        announce,
      }),
    ),
  );
  const masters = servers.slice(0, masterCount);
  const replicas = servers.slice(masterCount);
  const share = Math.ceil(SLOTS / masterCount);
  for (const [index, { client }] of masters.entries()) {
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', index * share, last);
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  const [first] = servers as [StartedServer];
  for (const server of servers.slice(1)) {
    const port = server.tlsPort ?? server.announcedPort;
    await first.client.call('CLUSTER', 'MEET', '127.0.0.1', port, server.announcedBusPort);
  }
  await until(async () => (await nodesKnown(servers)).every((known) => known === servers.length));
  for (const [index, replica] of replicas.entries()) {
    await replica.client.call('CLUSTER', 'REPLICATE', await (masters[index] as ClusterServer).id());
  }
  const cluster: RedisCluster = {
    url: `redis${tls === undefined ? '' : 's'}+cluster://${servers.map(({ name }) => name).join(',')}`,
    servers,
    masters,
    replicas,
    masterOf: (slot) => masterOf(servers, slot),
    moveSlot: (slot, to, options) => moveSlot(cluster, slot, to, options),
    settled: () => until(() => areAgreed(servers)),
    async failover({ client }) {
      let askedMs = 0;
      await until(async () => {
        if (/role:master/.test(await client.info('replication'))) return true;
        // The others give no vote soon after another one, and it is given up after a while.
        if (Date.now() > askedMs + FAILOVER_MS) {
          askedMs = Date.now();
          await client.call('CLUSTER', 'FAILOVER');
        }
        return false;
      });
    },
    async stop() {
      for (const server of servers) server.client.disconnect();
      await Promise.all(servers.map((server) => server.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await cluster.settled();
  await until(async () => (await Promise.all(replicas.map(isLinked))).every((linked) => linked));
  return cluster;
}

const tlsFiles = ({ certPath, keyPath }: { readonly certPath: string; readonly keyPath: string }) => [
  ...['--tls-cert-file', certPath, '--tls-key-file', keyPath, '--tls-ca-cert-file', certPath],
];

async function nodesKnown(servers: readonly ClusterServer[]): Promise<number[]> {
  return Promise.all(
    servers.map(async ({ client }) => {
      const nodes = String(await client.call('CLUSTER', 'NODES'))
        .trim()
        .split('\n');
      return nodes.filter((line) => !/handshake|fail/.test(line)).length;
    }),
  );
}

async function areAgreed(servers: readonly ClusterServer[]): Promise<boolean> {
  const views = await Promise.all(
    servers.map(async ({ client }) => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      const slots = (await client.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
      const masters = slots.map(([first, last, [, port]]) => `${first}-${last}:${port}`);
      return /cluster_state:ok/.test(info) ? masters.sort().join() : '';
    }),
  );
  return views[0] !== '' && new Set(views).size === 1;
}

async function isLinked({ client }: ClusterServer): Promise<boolean> {
  return /master_link_status:up/.test(await client.info('replication'));
}

async function masterOf(servers: readonly ClusterServer[], slot: number): Promise<ClusterServer> {
  for (const server of servers) {
    if (server.client.status !== 'ready') continue;
    const nodes = String(await server.client.call('CLUSTER', 'NODES'));
    const own = nodes.split('\n').find((line) => line.includes('myself')) ?? '';
    if (own.includes('slave')) continue;
    const has = own
      .split(' ')
      .slice(8)
      .some((range) => {
        const [first, last = first] = range.split('-').map(Number);
        return first !== undefined && first <= slot && slot <= (last ?? first);
      });
    if (has) return server;
  }
  throw new Error(`nobody has slot ${slot}`);
}

async function moveSlot(
  cluster: RedisCluster,
  slot: number,
  to: ClusterServer,
  { keysAtOnce = 10, mayReplace = false, onOpen, onKeys }: MoveOptions = {},
): Promise<void> {
  const from = await cluster.masterOf(slot);
  const [fromId, toId] = [await from.id(), await to.id()];
  await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
  await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
  await onOpen?.();
  const replace = mayReplace ? ['REPLACE'] : [];
  for (;;) {
    const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, keysAtOnce)) as string[];
    if (keys.length === 0) break;
    await from.client.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, ...replace, 'KEYS', ...keys);
    await onKeys?.();
  }
  await to.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  await from.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
}

async function until(isSo: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error('the cluster did not come about');
    await delay(50);
  }
}
