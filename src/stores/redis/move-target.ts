import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import { epochKeyOf } from './cluster/cluster-epoch.ts';
import { readSlotMap } from './cluster/read-slot-map.ts';
import { slotOf } from './cluster/slot.ts';
import { type OpenMaster, openMaster } from './open-master.ts';
import type { RedisAddress, RedisEndpoint } from './redis-address.ts';
import { EPOCH_KEY } from './redis-epoch.ts';

/** The servers into which counters are moved: one, or all masters of a cluster. */
export interface MoveTarget {
  readonly masters: readonly OpenMaster[];
  /** The server that has the key. */
  readonly clientOf: (key: string) => Redis;
  /** Of the marks by which a server is known as one that lost nothing, see lua/epoch.lua. */
  readonly epochKeys: readonly string[];
}

type Timing = { readonly timeoutMs: number; readonly clock: Clock };

/** Rejects where one of them can't be used, and leaves no connection open. */
export async function openMoveTarget(address: RedisAddress, timing: Timing): Promise<MoveTarget> {
  const { place, ...rest } = address;
  if (place.kind !== 'cluster') {
    const master = await openMaster({ place, ...rest }, timing);
    return { masters: [master], clientOf: () => master.client, epochKeys: [EPOCH_KEY] };
  }
  const map = await readSlotMap({ place, login: rest.login }, timing);
  if (!map.isWhole) throw new Error('the cluster has slots that are no node’s');
  const names = map.shards.map(({ master }) => master);
  const tries = await Promise.allSettled(
    names.map((name) => openNode(address, map.nodes.get(name) as RedisEndpoint, timing)),
  );
  const masters = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []));
  const failed = tries.find((tried) => tried.status === 'rejected');
  if (failed !== undefined) {
    for (const master of masters) master.close();
    throw failed.reason;
  }
  const clients = new Map(names.map((name, index) => [name, (masters[index] as OpenMaster).client]));
  return {
    masters,
    clientOf: (key) => clients.get(map.masterOf(slotOf(key)) ?? '') as Redis,
    epochKeys: map.shards.flatMap(({ tag }) => (tag === undefined ? [] : [epochKeyOf(tag)])),
  };
}

function openNode(address: RedisAddress, node: RedisEndpoint, timing: Timing): Promise<OpenMaster> {
  return openMaster({ ...address, place: { kind: 'single', server: node } }, timing);
}
