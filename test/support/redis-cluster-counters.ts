import { setTimeout as delay } from 'node:timers/promises';
import type { RedisCounters } from '../../src/stores/redis/redis-counters.ts';

/** Until every shard can be called. */
export async function wholeCluster(counters: RedisCounters): Promise<void> {
  while (!counters.stats().isConnected) await delay(5);
}
