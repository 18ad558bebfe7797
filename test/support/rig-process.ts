import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { answeringChild } from './answering-child.ts';
import { REDIS_PROGRAM } from './redis-program.ts';

/** A redis-server, or a Sentinel, on loopback. */
export interface RigProcess {
  readonly port: number;
  /** By which the others and the Sentinels' clients know it. */
  readonly announcedPort: number;
  readonly pid: number;
  /** For looking behind the scenes; connects anew by itself. */
  readonly client: Redis;
  kill(): Promise<void>;
  /** SIGSTOP: it keeps its connections and takes new ones, and says nothing. */
  hang(): void;
  resume(): void;
  /** After a kill, at the same port; a master that comes back so is a master until a Sentinel finds it. */
  start(): Promise<void>;
}

export interface RigProcessStart {
  readonly directory: string;
  readonly port: number;
  readonly announcedPort: number;
  readonly args?: readonly string[];
  readonly sentinelFile?: string;
  readonly password?: string | undefined;
}

/** Resolves when it answers. */
export async function startRigProcess(start: RigProcessStart): Promise<RigProcess> {
  const { directory, port, announcedPort, args = [], sentinelFile, password } = start;
  const command =
    sentinelFile === undefined
      ? [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--dir',
          directory,
          '--dbfilename',
          `${port}.rdb`,
          ...args,
        ]
      : [sentinelFile, '--sentinel', '--bind', '127.0.0.1', '--dir', directory];
  const run = () => spawn(REDIS_PROGRAM, command, { stdio: 'ignore' });
  const client = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    disableClientInfo: true,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => undefined); // refused until it listens
  let child = await answeringChild(run, () => client.ping());
  return {
    port,
    announcedPort,
    get pid() {
      return child.pid ?? 0;
    },
    client,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    hang: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async start() {
      child = await answeringChild(run, () => client.ping());
    },
  };
}
