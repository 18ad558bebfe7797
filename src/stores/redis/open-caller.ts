import type { Clock } from '../../limiter/clock.ts';
import type { StoreLog } from '../store-log.ts';
import { connectRedis } from './connection.ts';
import { redisAddressOf } from './redis-address.ts';
import { RedisLink } from './redis-link.ts';
import type { ScriptCaller } from './script-caller.ts';

export interface ScriptCallerOptions {
  /** See redis-address.ts. */
  readonly url: string;
  /** A call that has no answer by then is given up. */
  readonly timeoutMs: number;
  /** So many calls without an answer, one after the other, end a connection; 3 if absent. */
  readonly unansweredCallsMax?: number;
  readonly clock: Clock;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
}

/** What calls scripts in the Redis that the URL names. Returns at once; while Redis is away, calls are rejected. */
export function openScriptCaller({ url, ...options }: ScriptCallerOptions): ScriptCaller {
  const address = redisAddressOf(url);
  return new RedisLink({ ...options, redis: connectRedis(address), database: address.database });
}
