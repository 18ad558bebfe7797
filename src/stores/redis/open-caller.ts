import type { Clock } from '../../limiter/clock.ts';
import type { StoreLog } from '../store-log.ts';
import { ClusterCaller, type NodeTies } from './cluster/cluster-caller.ts';
import { type RedisAccess, type RedisEndpoint, redisAddressOf } from './redis-address.ts';
import { RedisLink } from './redis-link.ts';
import type { ScriptCaller } from './script-caller.ts';
import { fixedPlace } from './whereabouts.ts';
import { whereaboutsOf } from './whereabouts-of.ts';

export interface ScriptCallerOptions {
  /** See redis-address.ts. */
  readonly url: string;
  /** What the URL doesn't say. */
  readonly access?: RedisAccess | undefined;
  /** A call that has no answer by then is given up. */
  readonly timeoutMs: number;
  /** So many calls without an answer, one after the other, end a connection; 3 if absent. */
  readonly unansweredCallsMax?: number;
  /** How often the memory of Redis is looked at, beside each connection; a minute if absent. */
  readonly memoryCheckMs?: number;
  readonly clock: Clock;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
}

/** What calls scripts in the Redis that the URL names. Returns at once; while Redis is away, calls are rejected. */
export function openScriptCaller({ url, access, ...options }: ScriptCallerOptions): ScriptCaller {
  const address = redisAddressOf(url, access);
  const { place, login, database } = address;
  if (place.kind === 'cluster') {
    const connect = (node: RedisEndpoint, ties: NodeTies) =>
      new RedisLink({
        ...options,
        whereabouts: fixedPlace(node),
        login,
        database,
        mayBeReplica: true,
        ...ties,
      });
    return new ClusterCaller({ ...options, seeds: place.nodes, connect });
  }
  const whereabouts = whereaboutsOf(place, { ...options, login });
  return new RedisLink({ ...options, whereabouts, login, database });
}
