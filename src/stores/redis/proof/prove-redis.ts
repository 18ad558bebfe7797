import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../../../limiter/clock.ts';
import { readSlotMap } from '../cluster/read-slot-map.ts';
import { type MasterAddress, openMaster } from '../open-master.ts';
import { type RedisAccess, redisAddressOf } from '../redis-address.ts';
import { SentinelWatch } from '../sentinel/sentinel-watch.ts';
import { clusterNode, missingRights } from '../unfit-redis.ts';
import { countOnce } from './count-once.ts';
import { mayAskTime, refusedRights, type ShardRights } from './refused-rights.ts';
import { type ServerFacts, serverFacts } from './server-facts.ts';

/** A master that counts, as it was met. */
export interface ProvenServer extends ServerFacts {
  readonly place: string;
  /** How far its clock is ahead of this machine's; negative: behind. */
  readonly clockAheadMs: number;
  /** How long the fastest of some calls took that do what a check does; null where none was answered. */
  readonly answerMs: number | null;
  /** Commands that the user lacks, and checks don't need. */
  readonly refused: readonly string[];
}

export interface ProvenRedis {
  readonly topology: 'single' | 'sentinel' | 'cluster';
  /** More than one in a cluster. */
  readonly servers: readonly ProvenServer[];
  /** Slots of a cluster that nobody has, as `0-5460,10923`; empty: none. */
  readonly slotsAway: string;
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
 * Connects as `serve` would, and looks around; changes nothing. Rejects with why it can't be used, a RedisFault if
 * that is known: with UnfitRedis if it answers, but isn't what the URL says, refuses its user what checks need, or
 * refuses to count.
 */
export async function proveRedis({ url, access, clock, timeoutMs }: RedisToProve): Promise<ProvenRedis> {
  const address = redisAddressOf(url, access);
  const { place, login, database } = address;
  const terms = { clock, timeoutMs };
  if (place.kind !== 'cluster') {
    const { server, sentinels } = await provenMaster({ place, login, database }, terms);
    if (server.isClusterNode) throw clusterNode(server.place);
    return { topology: place.kind, servers: [server], slotsAway: '', sentinels };
  }
  const servers: ProvenServer[] = [];
  const { nodes, shards, unowned } = await readSlotMap({ place, login }, terms);
  for (const shard of shards) {
    const master = nodes.get(shard.master);
    if (master === undefined) continue;
    const one = { place: { kind: 'single', server: master }, login, database: 0 } as const;
    servers.push((await provenMaster(one, terms, shard)).server);
  }
  return { topology: 'cluster', servers, slotsAway: unowned, sentinels: [] };
}

/** Without them less is known of a server, and it counts all the same. */
const DISPENSABLE = ['CLIENT SETNAME', 'INFO'];

async function provenMaster(
  address: MasterAddress,
  { clock, timeoutMs }: Pick<RedisToProve, 'clock' | 'timeoutMs'>,
  shard?: ShardRights,
) {
  // Without its time nobody is greeted, and nothing else would be asked.
  const prove = async (client: Redis, place: string) => {
    if (await mayAskTime(client)) return undefined;
    assertRights(place, await refusedRights(client, shard));
    return undefined;
  };
  const master = await openMaster(address, { clock, timeoutMs, prove });
  try {
    const { client, place, nowMs, sentMonotonicMs, whereabouts } = master;
    // The answer was read between then and now; so early after a start that is no time at all.
    const ownMs = clock.nowMs() - (clock.monotonicMs() - sentMonotonicMs);
    const facts = await serverFacts(client, address.database);
    if (shard === undefined && facts.isClusterNode) throw clusterNode(place);
    const key = `${shard?.tag ?? '{brume}'}:proof-${randomBytes(6).toString('hex')}`;
    const hasKey = shard === undefined || shard.tag !== undefined;
    const meetAgain = async () => (await openMaster(address, { clock, timeoutMs })).close();
    const counting = { client, place, key, isShard: shard !== undefined, meetAgain };
    const answerMs = hasKey ? await countOnce(counting) : null;
    const refused = await refusedRights(client, shard);
    assertRights(place, refused);
    const server = { place, clockAheadMs: Math.round(nowMs - ownMs), answerMs, refused, ...facts };
    const sentinels = whereabouts instanceof SentinelWatch ? whereabouts.sentinels() : [];
    return { server, sentinels: sentinels.map(({ place: where, fault }) => ({ place: where, fault })) };
  } finally {
    master.close();
  }
}

/** @throws UnfitRedis if checks need one of them. */
function assertRights(place: string, refused: readonly string[]): void {
  const needed = refused.filter((right) => !DISPENSABLE.includes(right));
  if (needed.length > 0) throw missingRights(place, needed);
}
