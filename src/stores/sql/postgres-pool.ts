import pg from 'pg';
import type { StoreLog } from '../store-log.ts';
import { safeInteger } from './row.ts';

export interface PostgresOptions {
  readonly databaseUrl: string;
  /** For a statement, and for getting a connection. */
  readonly timeoutMs: number;
  readonly log: StoreLog;
}

const CONNECTIONS_MAX = 10;

/** A pool whose broken connections are logged and replaced, and never end the process. */
export function createPool({ databaseUrl, timeoutMs, log }: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'brume',
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    types: { getTypeParser },
  });
  // Idle ones report to the pool; those in use only to whoever listens on them.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'a connection to PostgreSQL broke'));
  });
  return pool;
}

/** bigint comes as text: read as a number, and refused where it is none exactly. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return safeInteger;
  return pg.types.getTypeParser(oid, format);
}

const translated = new Map<string, string>();

/** `?1` → `$1`. Statements are literals in the source, so the map is bounded by the program's text. */
export function numbered(statement: string): string {
  const known = translated.get(statement);
  if (known !== undefined) return known;
  const text = statement.replace(/\?(\d+)/g, '$$$1');
  translated.set(statement, text);
  return text;
}
