import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { collectOutput, stopChild, waitUntil } from './child-process.ts';
import { freePort } from './free-port.ts';

export interface Pgbouncer {
  /** Of the same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PgbouncerOptions {
  readonly poolMode?: 'transaction' | 'session';
  /** Connections to the server. */
  readonly poolSize?: number;
}

/** A PgBouncer in front of a test database. It refuses to run as root, so there it runs as postgres. */
export async function startPgbouncer(
  databaseUrl: string,
  { poolMode = 'transaction', poolSize = 20 }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  const target = new URL(databaseUrl);
  const identity = process.getuid?.() === 0 ? identityOf('postgres') : undefined;
  const directory = mkdtempSync(join(tmpdir(), 'brume-pgbouncer-'));
  if (identity !== undefined) chownSync(directory, identity.uid, identity.gid);
  const port = await freePort();
  const configuration = join(directory, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  );
  const child = spawn('/usr/sbin/pgbouncer', [configuration], {
    ...identity,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killWithParent = () => void child.kill('SIGKILL');
  process.once('exit', killWithParent);
  child.once('exit', () => process.removeListener('exit', killWithParent));
  const url = Object.assign(new URL(databaseUrl), { port: String(port) }).href;
  await waitUntil(child, collectOutput(child), () => answers(url));
  return {
    url,
    async stop() {
      await stopChild(child, 'SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function identityOf(user: string): { uid: number; gid: number } {
  const idOf = (option: string) => Number(execFileSync('id', [option, user], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
