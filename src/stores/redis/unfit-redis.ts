/** It answers, and checks can't be counted in it as the settings are. */
export class UnfitRedis extends Error {
  override readonly name = 'UnfitRedis';
  /** As of a StoreWarning. */
  readonly code: 'cluster_node' | 'no_cluster' | 'missing_rights';

  constructor(code: UnfitRedis['code'], message: string) {
    super(message);
    this.code = code;
  }
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
