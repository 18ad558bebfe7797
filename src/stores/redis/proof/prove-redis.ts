import type { Clock } from '../../../limiter/clock.ts';
import { type MasterAddress, openMaster } from '../open-master.ts';
import { type RedisAccess, type RedisAddress, redisAddressOf } from '../redis-address.ts';
import { SentinelWatch } from '../sentinel/sentinel-watch.ts';
import { clusterMasters } from './cluster-masters.ts';
import { refusedRights } from './refused-rights.ts';
import { type ServerFacts, serverFacts } from './server-facts.ts';
import { TopologyError } from './topology-error.ts';

/** A master that counts, as it was met. */
export interface ProvenServer extends ServerFacts {
  readonly place: string;
  /** How far its clock is ahead of this machine's; negative: behind. */
  readonly clockAheadMs: number;
  /** Commands, and keys as `~{brume}*`, that the user lacks. */
  readonly refused: readonly string[];
}

export interface ProvenRedis {
  readonly topology: 'single' | 'sentinel' | 'cluster';
  /** More than one in a cluster. */
  readonly servers: readonly ProvenServer[];
  /** Each with why it doesn't answer; undefined: it does. Empty without Sentinels. */
  readonly sentinels: readonly { readonly place: string; readonly fault: string | undefined }[];
}

export interface RedisToProve {
  readonly url: string;
  readonly access?: RedisAccess | undefined;
  readonly clock: Clock;
  /** To connect. */
  readonly timeoutMs: number;
}

/**
 * Connects as `serve` would, and looks around; changes nothing. Rejects with why it can't be used: with a
 * TopologyError if it is a node of a cluster that the URL doesn't name as one.
 */
export async function proveRedis({ url, access, clock, timeoutMs }: RedisToProve): Promise<ProvenRedis> {
  const address = redisAddressOf(url, access);
  const { place, login, database } = address;
  const terms = { clock, timeoutMs };
  if (place.kind !== 'cluster') {
    const { server, sentinels } = await provenMaster({ place, login, database }, terms);
    if (server.isClusterNode) throw new TopologyError(server.place);
    return { topology: place.kind, servers: [server], sentinels };
  }
  const servers: ProvenServer[] = [];
  for (const master of await clusterMasters(address as RedisAddress & { place: typeof place }, terms)) {
    const one = { place: { kind: 'single', server: master }, login, database: 0 } as const;
    servers.push((await provenMaster(one, terms, true)).server);
  }
  return { topology: 'cluster', servers, sentinels: [] };
}

async function provenMaster(
  address: MasterAddress,
  { clock, timeoutMs }: Pick<RedisToProve, 'clock' | 'timeoutMs'>,
  isCluster = false,
) {
  const master = await openMaster(address, { clock, timeoutMs });
  try {
    const { client, place, nowMs, sentMonotonicMs, whereabouts } = master;
    // The answer was read between then and now; so early after a start that is no time at all.
    const ownMs = clock.nowMs() - (clock.monotonicMs() - sentMonotonicMs);
    const server = {
      place,
      clockAheadMs: Math.round(nowMs - ownMs),
      refused: await refusedRights(client, { isCluster }),
      ...(await serverFacts(client, address.database)),
    };
    const sentinels = whereabouts instanceof SentinelWatch ? whereabouts.sentinels() : [];
    return { server, sentinels: sentinels.map(({ place: where, fault }) => ({ place: where, fault })) };
  } finally {
    master.close();
  }
}
