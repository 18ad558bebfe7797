import type { Clock } from '../../../limiter/clock.ts';
import { openMaster } from '../open-master.ts';
import { placeText, type RedisEndpoint, type RedisLogin } from '../redis-address.ts';

export interface ClusterAddress {
  readonly place: { readonly kind: 'cluster'; readonly nodes: readonly RedisEndpoint[] };
  readonly login: RedisLogin;
}

/** The masters of a cluster, as the first of its nodes that answers tells. Rejects if none does. */
export async function clusterMasters(
  { place, login }: ClusterAddress,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<readonly RedisEndpoint[]> {
  let fault: unknown;
  for (const seed of place.nodes) {
    const address = { place: { kind: 'single', server: seed }, login, database: 0 } as const;
    try {
      const node = await openMaster(address, { clock, timeoutMs, mayBeReplica: true });
      try {
        return mastersOf(await node.client.cluster('SLOTS'), seed);
      } finally {
        node.close();
      }
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

/** Of ranges `[first, last, [host, port, …], …]`; a host that a node doesn't know is its own. */
function mastersOf(slots: unknown, seed: RedisEndpoint): RedisEndpoint[] {
  const masters = new Map<string, RedisEndpoint>();
  for (const range of Array.isArray(slots) ? slots : []) {
    const [host, port] = range[2] ?? [];
    const master = {
      host: host === null || host === '' || host === '?' ? seed.host : String(host),
      port: Number(port),
    };
    masters.set(placeText(master), master);
  }
  if (masters.size === 0) throw new Error('no node of the cluster has slots');
  return [...masters.values()];
}
