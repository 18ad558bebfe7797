import { proveRedis } from '../stores/redis/proof/prove-redis.ts';
import { redisWarnings } from '../stores/redis/proof/redis-warnings.ts';
import type { RedisAccess } from '../stores/redis/redis-address.ts';
import { UnfitRedis } from '../stores/redis/unfit-redis.ts';
import { systemTime } from '../stores/system-time.ts';
import type { Logger } from '../telemetry/log.ts';

const TIMEOUT_MS = 5000;
/** That is watched as long as this process runs (stores/redis/memory-watch.ts). */
const WATCHED = ['eviction_policy'];
/** That meets each check, and is told with it (stores/redis/link-faults.ts). */
const MET: readonly UnfitRedis['code'][] = ['refuses'];

/** What is amiss with the Redis of this node, once, a line each. Never rejects: a Redis that is away is met elsewhere. */
export async function logRedisWarnings(
  redis: { readonly url: string; readonly access: RedisAccess },
  log: Logger,
): Promise<void> {
  try {
    const proven = await proveRedis({ ...redis, clock: systemTime, timeoutMs: TIMEOUT_MS });
    for (const { code, text } of redisWarnings(proven)) {
      if (!WATCHED.includes(code)) log.warn({ warning: code }, text);
    }
  } catch (error) {
    if (error instanceof UnfitRedis && !MET.includes(error.code))
      log.warn({ warning: error.code }, error.message);
    // Else it is gone again, or told already.
  }
}
