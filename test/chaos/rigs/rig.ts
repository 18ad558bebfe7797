import type { Redis } from 'ioredis';
import type { Random } from '../random.ts';

export const TOPOLOGIES = ['single', 'sentinel', 'cluster'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** A fault: a short one passes while a check waits; a long one is a failover, a hang, a partition or a restart. */
export interface Fault {
  readonly name: string;
  readonly isLong: boolean;
  /** It makes the store forget everything. Whatever a new master had not received is found out otherwise. */
  readonly forgetsAll?: boolean;
  /** It makes the store forget counters whose windows pass within seconds. */
  readonly forgetsBrief?: boolean;
  /**
   * Resolves when it is over and Redis could be asked again; with what was done, for the report. `nodes`: the
   * pids of Brume's.
   */
  readonly run: (random: Random, nodes: readonly number[]) => Promise<string>;
}

/** Redis servers on loopback, and what can be done to them. */
export interface Rig {
  readonly topology: Topology;
  /** For BRUME_REDIS_URL. */
  readonly url: string;
  readonly faults: readonly Fault[];
  /** Of the servers that count. */
  pids(): readonly number[];
  /** Who the masters are, and by which failover: another text means that others have served since. */
  masters(): Promise<string>;
  /** Whether the replicas have all that the masters had before this was asked. */
  areReplicasInStep(): Promise<boolean>;
  /** Brings everything up again after a fault, in step. Rejects if it does not come about in time. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

/** What faults of one server need. */
export interface Server {
  /** Its own, and not by which it is announced. */
  readonly port: number;
  readonly client: Redis;
}

/** Picks the server that a fault is for. */
export type Choose = (random: Random) => Promise<Server>;

/** For what may wait for a server that is busy with itself. */
export function call(server: Server, command: string, ...args: (string | number)[]): Promise<unknown> {
  return within(server.client.call(command, ...args), 10_000);
}

export async function within<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Redis gave the chaos suite no answer in ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export async function until(isSo: () => Promise<boolean>, timeoutMs: number, what: string): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const isSoNow = await within(isSo(), timeoutMs).catch(() => false);
    if (isSoNow) return;
    if (Date.now() > endMs) throw new Error(`${what}: not in ${timeoutMs} ms`);
    await pause(25);
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** `name:value` lines of INFO. */
export async function info(client: Redis, section: string): Promise<ReadonlyMap<string, string>> {
  const text = await within(client.info(section), 1000);
  return new Map(
    text.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
}

/** Whether each replica has what its master had when this was asked. */
export async function isInStep(master: Redis, replicas: readonly Redis[]): Promise<boolean> {
  const offset = Number((await info(master, 'replication')).get('master_repl_offset'));
  for (const replica of replicas) {
    const isBehind = async () =>
      Number((await info(replica, 'replication')).get('slave_repl_offset') ?? -1) >= offset;
    await until(isBehind, 200, 'a replica in step');
  }
  return true;
}
