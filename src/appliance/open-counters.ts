import type { Config } from '../config/config.ts';
import type { Clock } from '../limiter/clock.ts';
import type { Counters } from '../limiter/counters.ts';
import { EmbeddedCounters } from '../stores/embedded/embedded-counters.ts';
import { RedisCounters } from '../stores/redis/redis-counters.ts';
import type { Sql } from '../stores/sql/sql.ts';
import type { Logger } from '../telemetry/log.ts';
import { checkpointQuotas } from './checkpoint-quotas.ts';
import { ownRedis } from './own-redis.ts';

interface CountersParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly sql: Sql;
  readonly identifierSecret: Uint8Array;
}

/**
 * The counters, in Redis or in this process, whose quotas survive their loss. Redis may be away.
 *
 * @throws StartError if the Redis is another installation's, or quotas of this process can't be restored.
 */
export async function openCounters(config: Config, parts: CountersParts): Promise<Counters> {
  const { redisUrl: url, redisTimeoutMs: timeoutMs, embeddedIdentifiersMax: identifiersMax } = config;
  if (url === null)
    return checkpointQuotas(config, new EmbeddedCounters({ clock: parts.clock, identifiersMax }), parts);
  const own = await ownRedis({ ...parts, url, isSoleNode: config.databaseUrl === null });
  return checkpointQuotas(config, own(RedisCounters.connect({ ...parts, url, timeoutMs })), parts);
}
