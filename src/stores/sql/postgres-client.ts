import { Socket } from 'node:net';
import pg from 'pg';

/** Idle for so long, and the system begins to ask whether the other end is still there: 10 times, once a second. */
const KEEP_ALIVE_AFTER_MS = 5000;
/** Whoever does not let a connection in by then is asked anew: it may have come back meanwhile. */
const CONNECT_TIMEOUT_MAX_MS = 5000;

/** What all connections to PostgreSQL have in common. */
export function clientConfig(databaseUrl: string, timeoutMs: number) {
  return {
    connectionString: databaseUrl,
    connectionTimeoutMillis: Math.min(timeoutMs, CONNECT_TIMEOUT_MAX_MS),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  } satisfies pg.ClientConfig;
}

/** A connection that can be dropped at once, also while the server says nothing any more. */
export class PostgresClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /** Without a farewell: `end` would wait for the server to take it. */
  destroy(): void {
    this.#socket.destroy();
  }
}
