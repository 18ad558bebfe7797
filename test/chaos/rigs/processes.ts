import type { Network } from '../network/network.ts';

/** A process of Redis, and the ports at which it listens itself. */
interface RedisProcess {
  readonly pid: number;
  readonly port: number;
  /** Of a Cluster's node. */
  readonly busPort?: number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export function portsOf({ port, busPort }: RedisProcess): readonly number[] {
  return busPort === undefined ? [port] : [port, busPort];
}

/** kill -9; its relays refuse, as it would itself. */
export async function takeDown(redis: RedisProcess, network: Network): Promise<void> {
  for (const port of portsOf(redis)) await network.refuse(port);
  await redis.kill();
}

/** Also of one that is not down. */
export async function bringUp(redis: RedisProcess, network: Network): Promise<void> {
  if (!isRunning(redis.pid)) await redis.start();
  for (const port of portsOf(redis)) await network.accept(port);
}
