import { stepOfRow } from './advice/next-step.ts';
import { RedisFault } from './advice/redis-fault.ts';
import type { FaultReaction } from './fault-reaction.ts';
import { reactionTo } from './fault-reactions.ts';

/** It answers, and checks can't be counted in it as the settings are, or as it is. */
export class UnfitRedis extends RedisFault {
  override readonly name = 'UnfitRedis';
  /** As of a StoreWarning. */
  readonly code: 'cluster_node' | 'no_cluster' | 'missing_rights' | 'refuses';

  constructor(code: UnfitRedis['code'], said: string, remedy?: string) {
    super(said, remedy);
    this.code = code;
  }
}

/** @param message what it answers to whatever would count */
export function refusesToCount(place: string, message: string): UnfitRedis {
  const { told }: FaultReaction = reactionTo(message);
  return new UnfitRedis(
    'refuses',
    `The Redis at ${place} refuses what would count: ${told} (${message.replace(/\.$/, '')})`,
    stepOfRow(message),
  );
}

/** It answers what reads, and not what may write, in so many ms. */
export function holdsWrites(place: string, ms: number): UnfitRedis {
  return new UnfitRedis(
    'refuses',
    `The Redis at ${place} answers what reads, and gave no answer in ${ms} ms to what would count`,
    'Writes are held there, by CLIENT PAUSE or a failover: wait, or end it by redis-cli client unpause',
  );
}

/** The URL says that it is alone: most identifiers can't be counted in it. */
export function clusterNode(place: string): UnfitRedis {
  return new UnfitRedis(
    'cluster_node',
    `The Redis at ${place} is a node of a Redis Cluster, and counts its own slots alone: checks of all other ` +
      'identifiers are degraded. Name the cluster in BRUME_REDIS_URL, by redis+cluster:// or rediss+cluster://.',
  );
}

/** @param rights that are missing: commands, and keys as `~{brume}*` */
export function missingRights(place: string, rights: readonly string[]): UnfitRedis {
  return new UnfitRedis(
    'missing_rights',
    `The user may not do at ${place} what checks need. Missing: ${rights.join(', ')}. docs/redis.md has an ACL.`,
  );
}

/** What a server at that place answered to CLUSTER; where it is none of a cluster, in words that help. */
export function clusterFault(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || !/cluster support disabled/i.test(error.message)) return error;
  return new UnfitRedis(
    'no_cluster',
    `The Redis at ${place} is one server and no node of a Redis Cluster (${error.message}). ` +
      'Name it in BRUME_REDIS_URL by redis:// or rediss://.',
  );
}
