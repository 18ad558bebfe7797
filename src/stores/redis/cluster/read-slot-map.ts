import type { Clock } from '../../../limiter/clock.ts';
import { openMaster } from '../open-master.ts';
import { placeText, type RedisEndpoint, type RedisLogin } from '../redis-address.ts';
import { clusterFault } from '../unfit-redis.ts';
import { SlotMap, slotRangesOf } from './slot-map.ts';

export interface ClusterAddress {
  readonly place: { readonly kind: 'cluster'; readonly nodes: readonly RedisEndpoint[] };
  readonly login: RedisLogin;
}

export interface ReadTerms {
  readonly clock: Clock;
  /** For each node that is asked. */
  readonly timeoutMs: number;
}

/** The map of a cluster, as the first of its nodes that answers tells it. Rejects if none does. */
export async function readSlotMap({ place, login }: ClusterAddress, terms: ReadTerms): Promise<SlotMap> {
  let fault: unknown;
  for (const node of place.nodes) {
    const address = { place: { kind: 'single', server: node }, login, database: 0 } as const;
    try {
      const { client, close } = await openMaster(address, { ...terms, mayBeReplica: true });
      try {
        const map = new SlotMap(slotRangesOf(await client.call('CLUSTER', 'SLOTS'), node));
        if (map.shards.length === 0) throw new Error('no node of the cluster has slots');
        return map;
      } finally {
        close();
      }
    } catch (error) {
      fault = clusterFault(error, placeText(node));
    }
  }
  throw fault;
}
