import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { Redis } from 'ioredis';
import { answeringChild } from './answering-child.ts';
import { freePort } from './free-port.ts';
import { REDIS_PROGRAM } from './redis-program.ts';

/** A node of a throw-away cluster, on loopback. */
export interface ClusterServer {
  readonly port: number;
  /** For the cluster's own talk. */
  readonly busPort: number;
  /** By which the others and the cluster's clients know it. */
  readonly announcedPort: number;
  readonly pid: number;
  readonly name: string;
  /** For looking behind the scenes; it says what this node holds, and follows no redirection. */
  readonly client: Redis;
  id(): Promise<string>;
  /** kill -9, until start(). */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Its sockets stay open, and it says nothing. */
  hang(): void;
  resume(): void;
}

/** One that was started here. */
export interface StartedServer extends ClusterServer {
  readonly announcedBusPort: number;
  readonly tlsPort: number | undefined;
}

interface Wanted {
  readonly directory: string;
  readonly settings: readonly string[];
  readonly password: string | undefined;
  readonly hasTls: boolean;
  readonly announce: (port: number) => Promise<number>;
}

/** A port that was free a moment ago may have been taken since: then others are tried. */
export async function startedServer({ hasTls, announce, ...wanted }: Wanted): Promise<StartedServer> {
  for (let attempt = 1; ; attempt++) {
    const [port, busPort] = [await freePort(), await freePort()];
    const tlsPort = hasTls ? await freePort() : undefined;
    const [announcedPort, announcedBusPort] = [await announce(port), await announce(busPort)];
    const server = clusterServer({ port, busPort, announcedPort, announcedBusPort, tlsPort, ...wanted });
    try {
      await server.start();
      return server;
    } catch (error) {
      server.client.disconnect();
      if (attempt === 5) throw error;
    }
  }
}

interface Started
  extends Omit<Wanted, 'hasTls' | 'announce'>,
    Pick<StartedServer, 'port' | 'busPort' | 'announcedPort' | 'announcedBusPort' | 'tlsPort'> {}

function clusterServer(started: Started): StartedServer {
  const { port, busPort, announcedPort, announcedBusPort, tlsPort, directory, settings, password } = started;
  const place = ['--port', String(port), '--cluster-port', String(busPort), '--bind', '127.0.0.1'];
  place.push('--cluster-announce-bus-port', String(announcedBusPort));
  if (announcedPort !== port) place.push('--cluster-announce-port', String(announcedPort));
  if (tlsPort !== undefined) place.push('--tls-port', String(tlsPort));
  // The directory keeps nodes.conf, so that it comes back as the same node.
  const files = [
    '--dir',
    directory,
    '--cluster-config-file',
    'nodes.conf',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const client = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    lazyConnect: true,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => undefined); // refused until the server listens
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    port,
    busPort,
    announcedPort,
    announcedBusPort,
    tlsPort,
    name: `127.0.0.1:${tlsPort ?? announcedPort}`,
    get pid() {
      return child?.pid ?? 0;
    },
    client,
    id: async () => String(await client.call('CLUSTER', 'MYID')),
    async start() {
      mkdirSync(directory, { recursive: true });
      const run = () => spawn(REDIS_PROGRAM, [...place, ...files, ...settings], { stdio: 'ignore' });
      child = await answeringChild(run, () => client.ping());
    },
    async kill() {
      if (child === undefined || !isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    hang: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
