import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** An empty database of its own in a real PostgreSQL. */
export interface TestDatabase {
  readonly url: string;
  /** Runs statements as the superuser, beside Brume's own connections. */
  query(statement: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

let ownServer: Promise<PostgresServer> | undefined;
let databasesOnOwnServer = 0;

/**
 * Makes a database in the cluster whose superuser's URL is in BRUME_TEST_POSTGRES (scripts/test
 * starts one for the whole run), else in one that ends with the last database of this test file.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env.BRUME_TEST_POSTGRES ?? (await ownServerUrl());
  const name = `brume_test_${randomBytes(8).toString('hex')}`;
  await query(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    url,
    query: (statement, parameters) => query(url, statement, parameters),
    async drop() {
      await query(server, `drop database ${name} with (force)`);
      if (process.env.BRUME_TEST_POSTGRES === undefined) await leaveOwnServer();
    },
  };
}

async function ownServerUrl(): Promise<string> {
  databasesOnOwnServer += 1;
  ownServer ??= startPostgres();
  return (await ownServer).url;
}

async function leaveOwnServer(): Promise<void> {
  databasesOnOwnServer -= 1;
  if (databasesOnOwnServer > 0) return;
  const server = await ownServer;
  ownServer = undefined;
  await server?.stop();
}

async function query(
  connectionString: string,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement, [...parameters])).rows;
  } finally {
    await client.end();
  }
}
