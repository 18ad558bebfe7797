import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../errors/message-of.ts';
import { DrilledRedis } from '../../stores/redis/drill/drilled-redis.ts';
import { type RedisAccess, redisAddressOf } from '../../stores/redis/redis-address.ts';
import { systemTime } from '../../stores/system-time.ts';
import { OperationError } from '../operation-error.ts';
import { redisText } from '../stores-place.ts';
import type { Fault } from './fault.ts';

export interface RedisOf {
  readonly redisUrl: string | null;
  readonly access: RedisAccess;
}

const SEE = 'See: brume runbook show redis-failover';

/** A replica is promoted while the master lives; with `pauseMs` the master holds back what writes meanwhile. */
export function redisFailover(of: RedisOf, pauseMs: number): Fault {
  const redis = redisOf(of);
  if (redis.kind === 'single') {
    throw new OperationError(
      'BRUME_REDIS_URL names one Redis alone, which has no replica that could take over. Try: brume drill redis-loss',
    );
  }
  const held = pauseMs > 0 ? ` Its masters hold back writes for ${pauseMs} ms at most.` : '';
  return {
    announcement: `A replica of ${text(of)} is made the master.${held} It stays the master.`,
    isOverBySelf: true,
    remedy: 'nothing, it is over by itself',
    look: async () => {
      const why = await redis.whyNoReplica();
      if (why !== null) throw new OperationError(`No replica can take over: ${why}. ${SEE}`);
    },
    begin: async () => {
      const failOver = () => redis.failOver();
      try {
        if (pauseMs === 0) return await failOver();
        const did = await redis.whileWritesWait(pauseMs, failOver);
        return `${did}, while its masters held back writes for ${pauseMs} ms at most`;
      } catch (error) {
        throw new OperationError(
          `No replica was made the master: ${messageOf(error)}. Writes go on. ${SEE}`,
          { cause: error },
        );
      }
    },
    // What was held back goes on at the latest when its time is over; the new master is none of those.
    end: async () => undefined,
  };
}

/** What a pause may last: nobody can end it before its time, since Redis holds CLIENT UNPAUSE back as well. */
const PAUSE_MAX_MS = 60_000;

/** The masters give no answers for a while, as if they hung. */
export function redisHang(of: RedisOf, lastsMs: number): Fault {
  const redis = redisOf(of);
  if (lastsMs > PAUSE_MAX_MS) {
    throw new OperationError(
      `A pause can't be ended before its time: let it last ${PAUSE_MAX_MS / 1000}s at most, with --lasts.`,
    );
  }
  let endsMs = 0;
  return {
    announcement: `All clients of the masters of ${text(of)} wait for ${lastsMs} ms (CLIENT PAUSE), not those of Brume alone. It can't be ended sooner.`,
    isOverBySelf: false,
    remedy: 'wait, the pause ends by itself',
    begin: async () => {
      const masters = await redis.masters();
      endsMs = performance.now() + lastsMs;
      await redis.pause(lastsMs);
      endsMs = performance.now() + lastsMs;
      return `CLIENT PAUSE ${lastsMs} ALL at ${masters.join(', ')}`;
    },
    end: async (signal) => {
      await delay(Math.max(0, endsMs - performance.now()), undefined, { signal });
    },
  };
}

/** Brume takes all counts for lost, and those of the drill are. */
export function redisFlush(of: RedisOf): Fault {
  const redis = redisOf(of);
  return {
    announcement: `The counts of the drill in ${text(of)} are removed, and Brume's mark, so that it acts as after a flush. Other counts stay.`,
    isOverBySelf: true,
    remedy: 'nothing, it is over by itself',
    begin: async (own) => {
      await own.forget();
      await redis.forget();
      return 'the counts of the drill and the mark of the installation were removed';
    },
    end: async () => undefined,
  };
}

function redisOf({ redisUrl, access }: RedisOf): DrilledRedis {
  if (redisUrl === null)
    throw new OperationError('BRUME_REDIS_URL is not set: the counters are embedded, and there is no Redis.');
  return new DrilledRedis(redisAddressOf(redisUrl, access), systemTime);
}

function text({ redisUrl, access }: RedisOf): string {
  return redisUrl === null ? '' : `Redis at ${redisText(redisAddressOf(redisUrl, access).place)}`;
}
