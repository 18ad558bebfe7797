import { Redis } from 'ioredis';
import { CountersError } from '../../limiter/counters.ts';
import type { RedisAddress } from './redis-address.ts';

const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1000;
const CONNECT_TIMEOUT_MS = 1000;
/** What is given up is not waited for. */
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * A client that answers now or not at all: nothing waits for a dead connection, and nothing that was
 * sent and perhaps run is ever sent again. It reconnects for ever.
 */
export function connectRedis(address: RedisAddress): Redis {
  const { username, password, database } = address;
  return new Redis({
    ...placeOf(address),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    db: database,
    connectionName: 'brume',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableReadyCheck: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    keepAlive: 1000,
    retryStrategy: (attempt) => Math.min(RECONNECT_MS_MIN * attempt, RECONNECT_MS_MAX),
    // 1: reconnect, perhaps to the new master, without sending again what failed.
    reconnectOnError: (error) => (/^READONLY/.test(error.message) ? 1 : false),
  });
}

function placeOf({ place, isTls }: RedisAddress) {
  if (place.kind === 'socket') return { path: place.path };
  const { host, port } = place.endpoint;
  return { host, port, ...(isTls && { tls: { servername: host } }) };
}

/**
 * A fault of the client, fit for logs: ioredis hangs the command that failed on its errors, with all
 * arguments, the password of AUTH among them.
 */
export function withoutCommand(error: unknown): Error {
  const bare = new Error(error instanceof Error ? error.message : String(error));
  if (error instanceof Error) {
    bare.name = error.name;
    if (error.stack !== undefined) bare.stack = error.stack;
  }
  return bare;
}

/** What a failed call means for the checks it carried. */
export function countersError(error: unknown): CountersError {
  if (error instanceof CountersError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/^OOM /.test(message))
    return new CountersError('full', 'Redis is out of memory', { cause: withoutCommand(error) });
  return new CountersError('unavailable', `Redis: ${message}`, { cause: withoutCommand(error) });
}
