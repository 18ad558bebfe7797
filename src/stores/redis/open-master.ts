import type { Clock } from '../../limiter/clock.ts';
import { withoutCommand } from './connection.ts';
import { type Greeting, KeptConnection } from './kept-connection.ts';
import type { RedisLogin } from './redis-address.ts';
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
}

const SILENT = { info: () => undefined, warn: () => undefined };

/**
 * A connection to the master, for a piece of work that ends. It is tried again and again until the time is
 * up; then this rejects with why the last attempt failed. When the connection ends, calls on it fail.
 */
export function openMaster(
  { place, login, database }: MasterAddress,
  { timeoutMs, clock, mayBeReplica = false }: OpenTerms,
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
    onFault: (error) => {
      fault = withoutCommand(error);
    },
  });
  const timer = setTimeout(() => {
    connection.close();
    reject(fault);
  }, timeoutMs);
  return promise;
}
