import { type ClusterAddress, type ReadTerms, readSlotMap } from '../cluster/read-slot-map.ts';
import type { RedisEndpoint } from '../redis-address.ts';

/** The masters of a cluster, as the first of its nodes that answers tells. Rejects if none does. */
export async function clusterMasters(
  address: ClusterAddress,
  terms: ReadTerms,
): Promise<readonly RedisEndpoint[]> {
  const { nodes, shards } = await readSlotMap(address, terms);
  return shards.flatMap(({ master }) => nodes.get(master) ?? []);
}
