/** The URL says another topology than the server has: it answers, and most identifiers can't be counted in it. */
export class TopologyError extends Error {
  override readonly name = 'TopologyError';
  /** As of a StoreWarning. */
  readonly code = 'cluster_node';

  constructor(place: string) {
    super(
      `The Redis at ${place} is a node of a Redis Cluster, and counts its own slots alone: checks of all other ` +
        'identifiers are degraded. Name the cluster in BRUME_REDIS_URL, by redis+cluster:// or rediss+cluster://.',
    );
  }
}
