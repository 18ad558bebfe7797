import { isIP } from 'node:net';
import { Redis } from 'ioredis';
import { messageOf } from '../../errors/message-of.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { FaultReaction } from './fault-reaction.ts';
import { reactionTo } from './fault-reactions.ts';
import type { RedisLogin, ServerPlace } from './redis-address.ts';

const CONNECT_TIMEOUT_MS = 1000;
/** What is given up is not waited for. */
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * A client of one connection, which begins to connect at once: it answers now or not at all. Nothing waits
 * for a dead connection, nothing that was sent and perhaps run is sent again, and when the connection ends,
 * so does the client. Its faults come as 'error', its end as 'close' or 'end'.
 */
export function openClient(server: ServerPlace, { username, password, tls }: RedisLogin): Redis {
  const client = new Redis({
    ...server,
    ...(tls !== undefined && { tls: { ...tls, ...serverName(server) } }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    connectionName: 'brume',
    disableClientInfo: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    // Whoever opens it asks what server it is.
    enableReadyCheck: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    keepAlive: 1000,
    retryStrategy: () => null,
  });
  // Without a listener ioredis writes to the console.
  client.on('error', () => undefined);
  return client;
}

/** Ends a client at once: what it has not sent yet is never sent, what it waits for is rejected. */
export function closeClient(client: Redis): void {
  client.disconnect();
  // ioredis would finish sending first.
  (client.stream as Redis['stream'] | undefined)?.destroy();
}

/** An address is verified as such; a server name must not be one (RFC 6066). */
function serverName(server: ServerPlace): { servername?: string } {
  return 'host' in server && isIP(server.host) === 0 ? { servername: server.host } : {};
}

/**
 * A fault of the client, fit for logs: ioredis hangs the command that failed on its errors, with all
 * arguments, the password of AUTH among them.
 */
export function withoutCommand(error: unknown): Error {
  const bare = new Error(messageOf(error));
  if (error instanceof Error) {
    bare.name = error.name;
    if (error.stack !== undefined) bare.stack = error.stack;
  }
  return bare;
}

/** What a failed call means for the checks it carried. */
export function countersError(error: unknown): CountersError {
  if (error instanceof CountersError) return error;
  const message = messageOf(error);
  const { counters = 'unavailable' }: FaultReaction = reactionTo(message);
  const text = counters === 'full' ? 'Redis is out of memory' : `Redis: ${message}`;
  return new CountersError(counters, text, { cause: withoutCommand(error) });
}
