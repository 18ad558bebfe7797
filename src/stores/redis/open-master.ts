import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import { RedisFault } from './advice/redis-fault.ts';
import { withoutCommand } from './connection.ts';
import { type Greeting, KeptConnection } from './kept-connection.ts';
import { placeText, type RedisLogin } from './redis-address.ts';
import { UnfitRedis } from './unfit-redis.ts';
import type { Whereabouts } from './whereabouts.ts';
import { type OneMaster, whereaboutsOf } from './whereabouts-of.ts';

export interface OpenMaster extends Greeting {
  readonly whereabouts: Whereabouts;
  close(): void;
}

export interface MasterAddress {
  readonly place: OneMaster;
  readonly login: RedisLogin;
  readonly database: number;
}

export interface OpenTerms {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** A replica is as good; false if absent. */
  readonly mayBeReplica?: boolean;
  /** Asked of the server first. If it rejects with UnfitRedis, nothing more is tried. */
  readonly prove?: (client: Redis, place: string) => Promise<undefined>;
}

const SILENT = { info: () => undefined, warn: () => undefined };

/**
 * A connection to the master, for a piece of work that ends. It is tried again and again until the time is
 * up; then this rejects with why the last attempt failed, a RedisFault if that is known. When the connection
 * ends, calls on it fail.
 */
export function openMaster(
  { place, login, database }: MasterAddress,
  { timeoutMs, clock, mayBeReplica = false, prove }: OpenTerms,
): Promise<OpenMaster> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenMaster>();
  const whereabouts = whereaboutsOf(place, { login, clock, log: SILENT });
  let fault = new Error('it does not answer');
  const connection = new KeptConnection({
    whereabouts,
    login,
    database,
    clock,
    mayBeReplica,
    onGreeted: (greeting) => {
      clearTimeout(timer);
      resolve({ ...greeting, whereabouts, close: () => connection.close() });
    },
    onLost: () => undefined,
    onFault: (error, where) => {
      const known = error instanceof RedisFault ? error : withoutCommand(error);
      fault = known instanceof RedisFault && where !== undefined ? known.at(where) : known;
    },
    ...(prove !== undefined && { prove: (client) => proven(client, prove) }),
  });
  const timer = setTimeout(() => end(fault), timeoutMs);
  function end(reason: Error): void {
    clearTimeout(timer);
    connection.close();
    reject(reason);
  }
  async function proven(client: Redis, ask: NonNullable<OpenTerms['prove']>): Promise<undefined> {
    const at = whereabouts.current();
    try {
      return await ask(client, at === undefined ? '' : placeText(at));
    } catch (error) {
      if (error instanceof UnfitRedis) end(error);
      throw error;
    }
  }
  return promise;
}
