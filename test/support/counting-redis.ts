import assert from 'node:assert/strict';
import { systemClock } from '../../src/limiter/clock.ts';
import type { RedisAccess } from '../../src/stores/redis/redis-address.ts';
import { RedisCounters } from '../../src/stores/redis/redis-counters.ts';
import { freshKey, quotaOf, ready, setOf, silentLog } from './counter-engines.ts';

/** Needs each kind of command that counting needs. */
export const SET = setOf(
  { algorithm: 'fixed_window', limit: 10, windowMs: 60_000 },
  { algorithm: 'sliding_log', limit: 10, windowMs: 60_000 },
  { algorithm: 'token_bucket', limit: 10, windowMs: 60_000 },
  quotaOf(10, 'day'),
);

/** Fails unless the Redis at this URL counts. */
export async function counting(url: string, access?: RedisAccess): Promise<void> {
  const counters = RedisCounters.connect({
    url,
    access,
    timeoutMs: 1000,
    clock: systemClock,
    log: silentLog,
  });
  try {
    await ready(counters);
    const outcome = await counters.check({ key: freshKey(), set: SET, cost: 3, peek: false });
    assert.deepEqual(
      outcome.limits.map(({ remaining }) => remaining),
      [7, 7, 7, 7],
    );
  } finally {
    await counters.close();
  }
}
