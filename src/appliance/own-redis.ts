import { hostname } from 'node:os';
import { systemTimers } from '../stores/cache/timers.ts';
import { OwnedCounters, type TellingCounters } from '../stores/redis/owned-counters.ts';
import { CLAIM_MS, Ownership, type OwnershipOptions } from '../stores/redis/ownership.ts';
import { StartError } from './start-error.ts';

export interface OwnRedis {
  /** Ties counters to the claim. */
  readonly own: (counters: TellingCounters) => TellingCounters;
  /** The ids of the nodes that count there. Rejects where it can't be asked. */
  readonly countingHere: () => Promise<ReadonlySet<string>>;
}

/**
 * Claims the Redis for this installation, and resolves with what is tied to that claim. A Redis
 * that is away is claimed when it comes.
 *
 * @throws StartError if it is another installation's.
 */
export async function ownRedis(options: Omit<OwnershipOptions, 'holder' | 'timers'>): Promise<OwnRedis> {
  const holder = `process ${process.pid} on ${hostname()}`;
  const ownership = new Ownership({ ...options, holder, timers: systemTimers });
  const rival = await ownership.begin();
  if (rival === undefined)
    return {
      own: (counters) => new OwnedCounters(counters, ownership),
      countingHere: () => ownership.nodes(),
    };
  await ownership.end();
  throw redisOfAnother(rival);
}

export function redisOfAnother(rival: string): StartError {
  return new StartError(
    `BRUME_REDIS_URL: another live installation counts in this Redis (${rival}), with a configuration of its ` +
      'own, so that each would admit the whole limit. Stop it, give this one a Redis or a database number of ' +
      'its own, or give both the same BRUME_DATABASE_URL. If it has been stopped, its claim ends ' +
      `${CLAIM_MS / 1000} s after its last sign.`,
  );
}
