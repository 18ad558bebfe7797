import type { CountersFault } from '../../limiter/counters.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';

/** What a check gets: the failure policy of its namespace decides, or it is answered all the same. */
type CheckReaction = 'policy' | 'answered';

/**
 * What the connection does. `keep`: goes on; the next check is sent. `hold`: refuses for a short while and
 * then lets single calls try. `reconnect`: is given up at once, and made anew, by Sentinel where the master
 * is now. `load`: sends the script's text once. `follow`: asks the node that has the slot.
 */
type LinkReaction = 'keep' | 'hold' | 'reconnect' | 'load' | 'follow';

/** One fault of Redis and what is done about it; docs/redis-faults.md is made from these. */
export interface FaultReaction {
  /** Label `kind` of brume_redis_faults_total; null: nothing fails, so nothing is counted there. */
  readonly kind: string | null;
  /** What is the matter with Redis, in words. */
  readonly fault: string;
  /** How an error reply of Redis, or a fault of the connection, of this kind begins; absent: it has none. */
  readonly message?: RegExp;
  /** How else it is noticed, in words; if absent, by that message. */
  readonly noticed?: string;
  readonly check: CheckReaction;
  /** What the limiter is told where the policy decides. */
  readonly counters?: CountersFault;
  readonly link: LinkReaction;
  /** What /ready calls the counters; absent: `unavailable` where the policy decides, else `available`. */
  readonly condition?: CountersCondition['state'];
  /** The line in the log; absent: there is none, as nothing fails. */
  readonly told?: string;
  /** What the operator does about it. */
  readonly remedy: string;
}

/** Redis did nothing, and the policy decides. */
export const UNAVAILABLE = { check: 'policy', counters: 'unavailable' } as const;
