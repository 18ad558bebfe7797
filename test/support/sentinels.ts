import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type RigProcess, startRigProcess } from './rig-process.ts';
import { beginFailover, inStep, knowsReplicas, MASTER_NAME, namedMaster } from './sentinel-words.ts';
import { waitFor } from './wait-for.ts';

export interface SentinelRig {
  /** `redis+sentinel://127.0.0.1:…,…/mymaster` */
  readonly url: string;
  readonly servers: readonly RigProcess[];
  readonly sentinels: readonly RigProcess[];
  /** The server that the Sentinels name, by most of those that answer. */
  master(): Promise<RigProcess>;
  /** Has the Sentinels make another server the master while the present one lives; resolves when most say so. */
  promote(): Promise<RigProcess>;
  /** Resolves with the new master when most of the living Sentinels name another one than `former`. */
  promotedInPlaceOf(former: RigProcess): Promise<RigProcess>;
  stop(): Promise<void>;
}

export interface SentinelRigOptions {
  readonly replicas?: number;
  readonly sentinels?: number;
  /** The digit that their ids begin with; 1 if absent. Sentinels of one id are taken for one. */
  readonly firstId?: number;
  /** After so long without an answer a Sentinel takes a server for down; 500 ms if absent. */
  readonly downAfterMs?: number;
  /** The servers' own, for the user `default`. */
  readonly password?: string;
  readonly sentinelPassword?: string;
  /** By this certificate the Sentinels speak TLS at the ports of the URL; the servers don't. */
  readonly sentinelTls?: { readonly certPath: string; readonly keyPath: string };
  /** Of each redis-server. */
  readonly args?: readonly string[];
  /** Asked for the port, a relay's perhaps, by which others shall know the process at this one; absent: the same. */
  readonly announce?: (port: number) => Promise<number>;
}

const AGREED_MAX_MS = 30_000;

/** Starts a master, its replicas and Sentinels that know each other; resolves when all is in step. */
export async function startSentinels({
  replicas = 2,
  sentinels: sentinelCount = 3,
  firstId = 1,
  downAfterMs = 500,
  password,
  sentinelPassword,
  sentinelTls,
  args = [],
  announce = async (port) => port,
}: SentinelRigOptions = {}): Promise<SentinelRig> {
  const directory = mkdtempSync(join(tmpdir(), 'brume-sentinels-'));
  const login = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
  const serverArgs = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--repl-diskless-sync-delay',
    '0',
    ...login,
    ...args,
  ];
  const servers: RigProcess[] = [];
  const sentinels: RigProcess[] = [];
  const sentinelPorts: number[] = [];
  let isStopped = false;
  const named = async () => namedMaster(sentinels, servers);

  async function until(isRight: (master: RigProcess) => boolean): Promise<RigProcess> {
    for (const endMs = Date.now() + AGREED_MAX_MS; Date.now() < endMs && !isStopped; ) {
      const master = await named();
      if (master !== undefined && isRight(master)) return master;
      await pause(20);
    }
    throw new Error('the Sentinels name no such master');
  }

  const rig: SentinelRig = {
    get url() {
      return `redis+sentinel://${sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',')}/${MASTER_NAME}`;
    },
    servers,
    sentinels,
    master: () => until(() => true),
    async promote() {
      const former = await rig.master();
      await waitFor('a planned failover', () => beginFailover(sentinels), { timeoutMs: AGREED_MAX_MS });
      return rig.promotedInPlaceOf(former);
    },
    promotedInPlaceOf: (former) => until((master) => master !== former),
    async stop() {
      isStopped = true;
      for (const each of [...sentinels, ...servers]) {
        each.client.disconnect();
        await each.kill();
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    for (let index = 0; index <= replicas; index++) {
      const [first] = servers;
      const follow = first === undefined ? [] : ['--replicaof', `127.0.0.1 ${first.announcedPort}`];
      const port = await freePort();
      const announcedPort = await announce(port);
      const args = [...serverArgs, ...follow, '--replica-announce-port', String(announcedPort)];
      servers.push(await startRigProcess({ directory, port, announcedPort, args, password }));
    }
    const [master] = servers as [RigProcess];
    await inStep(master, replicas);
    const planned = await Promise.all(
      Array.from({ length: sentinelCount }, async (_, index) => {
        const port = await freePort();
        return {
          port,
          announcedPort: await announce(port),
          tlsPort: sentinelTls && (await freePort()),
          id: String(firstId + index).repeat(40),
        };
      }),
    );
    for (const { port, announcedPort, tlsPort, id } of planned) {
      const file = join(directory, `sentinel-${port}.conf`);
      const lines = [
        `port ${port}`,
        ...(sentinelTls === undefined ? [] : [`tls-port ${tlsPort}`, ...tlsLines(sentinelTls)]),
        `sentinel myid ${id}`,
        ...(sentinelTls === undefined ? [`sentinel announce-port ${announcedPort}`] : []),
        `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.announcedPort} ${Math.floor(sentinelCount / 2) + 1}`,
        `sentinel down-after-milliseconds ${MASTER_NAME} ${downAfterMs}`,
        // A failover is given up after it, and not tried again before twice as long.
        `sentinel failover-timeout ${MASTER_NAME} 2000`,
        `sentinel parallel-syncs ${MASTER_NAME} 1`,
        ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${password}`]),
        // So that they need not find each other first, which takes seconds.
        ...servers
          .slice(1)
          .map((each) => `sentinel known-replica ${MASTER_NAME} 127.0.0.1 ${each.announcedPort}`),
        ...planned
          .filter((other) => other.id !== id)
          .map(
            (other) => `sentinel known-sentinel ${MASTER_NAME} 127.0.0.1 ${other.announcedPort} ${other.id}`,
          ),
        ...(sentinelPassword === undefined
          ? []
          : [`requirepass ${sentinelPassword}`, `sentinel sentinel-pass ${sentinelPassword}`]),
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      const start = { directory, port, announcedPort, sentinelFile: file, password: sentinelPassword };
      sentinels.push(await startRigProcess(start));
      sentinelPorts.push(tlsPort ?? announcedPort);
    }
    await Promise.all(sentinels.map((sentinel) => knowsReplicas(sentinel, replicas)));
  } catch (error) {
    await rig.stop();
    throw error;
  }
  return rig;
}

const tlsLines = ({ certPath, keyPath }: { readonly certPath: string; readonly keyPath: string }) => [
  `tls-cert-file ${certPath}`,
  `tls-key-file ${keyPath}`,
  `tls-ca-cert-file ${certPath}`,
];

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
