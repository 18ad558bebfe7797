import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { REDIS_PROGRAM } from './redis-program.ts';

/** A throw-away redis-server on a free loopback port and a Unix socket, with nothing on disk. */
export interface RedisServer {
  /** `redis://127.0.0.1:PORT` */
  readonly url: string;
  /** `unix:///…/redis.sock` */
  readonly socketUrl: string;
  readonly pid: number;
  /** A client for looking behind the scenes; closed by stop(). */
  readonly client: Redis;
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** For a server that has to come back at the same address; free by default. */
  readonly port?: number;
  readonly args?: readonly string[];
  /** What `client` needs to say, if `args` ask for it. */
  readonly password?: string;
}

export async function startRedis({
  port,
  args = [],
  password,
}: RedisServerOptions = {}): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'brume-redis-'));
  const socket = join(directory, 'redis.sock');
  const chosenPort = port ?? (await freePort());
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory];
  const child = spawn(
    REDIS_PROGRAM,
    ['--port', String(chosenPort), '--unixsocket', socket, ...settings, ...args],
    { stdio: 'ignore' },
  );
  const client = new Redis(chosenPort, '127.0.0.1', {
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => undefined); // refused until the server listens
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`redis-server ended with ${code} before it answered`);
  });
  failed.catch(() => undefined);
  await Promise.race([client.ping(), failed]);
  if (child.pid === undefined || !existsSync(socket)) throw new Error('redis-server did not open its socket');
  return {
    url: `redis://127.0.0.1:${chosenPort}`,
    socketUrl: `unix://${socket}`,
    pid: child.pid,
    client,
    async stop() {
      client.disconnect();
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  server.close();
  await once(server, 'close');
  return address.port;
}
