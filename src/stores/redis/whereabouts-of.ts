import type { Clock } from '../../limiter/clock.ts';
import type { StoreLog } from '../store-log.ts';
import { openClient } from './connection.ts';
import type { RedisEndpoint, RedisLogin, RedisPlace } from './redis-address.ts';
import { SentinelWatch } from './sentinel/sentinel-watch.ts';
import { fixedPlace, type Whereabouts } from './whereabouts.ts';

export interface WatchParts {
  /** Of the servers. */
  readonly login: RedisLogin;
  readonly clock: Clock;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
}

/** Places at which there is one master at a time. */
export type OneMaster = Exclude<RedisPlace, { readonly kind: 'cluster' }>;

/** Begins to watch where the master is. */
export function whereaboutsOf(place: OneMaster, { login, clock, log }: WatchParts): Whereabouts {
  if (place.kind === 'single') return fixedPlace(place.server);
  const { sentinels, master: masterName, sentinelLogin } = place;
  const connect = (endpoint: RedisEndpoint) => openClient(endpoint, sentinelLogin);
  const connectServer = (endpoint: RedisEndpoint) => openClient(endpoint, login);
  const asking = { connect, login: sentinelLogin, connectServer };
  return new SentinelWatch({ sentinels, masterName, ...asking, clock, log });
}
