import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { collectOutput, stopChild, waitUntil } from './child-process.ts';
import { freePort } from './free-port.ts';

/** A throw-away PostgreSQL cluster on a free loopback port, which syncs nothing. */
export interface PostgresServer {
  /** Of its superuser, without a password: `postgres://postgres@127.0.0.1:PORT/postgres`. */
  readonly url: string;
  /** Ends at once, as in a crash, and starts again on the same port with the same data. */
  restart(): Promise<void>;
  /** Ends at once; `start` brings it back on the same port with the same data. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** All its processes stand still (SIGSTOP): connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so there it runs as the user that its package made. */
export async function startPostgres(): Promise<PostgresServer> {
  const binaries = postgresBinaries();
  const identity = process.getuid?.() === 0 ? postgresIdentity() : undefined;
  const data = mkdtempSync(join(tmpdir(), 'brume-postgres-'));
  if (identity !== undefined) chownSync(data, identity.uid, identity.gid);
  const initArguments = ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync'];
  execFileSync(join(binaries, 'initdb'), [...initArguments, '--encoding', 'UTF8', '--locale', 'C.UTF-8'], {
    ...identity,
    cwd: data,
    stdio: 'pipe',
  });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;

  async function start() {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 200,
      shared_buffers: '32MB',
      fsync: 'off',
      full_page_writes: 'off',
    };
    const child = spawn(
      join(binaries, 'postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...identity, cwd: data, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    // SIGQUIT: PostgreSQL's immediate shutdown.
    const killWithParent = () => void child.kill('SIGQUIT');
    process.once('exit', killWithParent);
    child.once('exit', () => process.removeListener('exit', killWithParent));
    await waitUntil(child, collectOutput(child), () => answers(url));
    return child;
  }

  let child = await start();
  let isFrozen = false;
  return {
    url,
    async restart() {
      await stopChild(child, 'SIGQUIT');
      child = await start();
    },
    async halt() {
      await stopChild(child, 'SIGQUIT');
    },
    async start() {
      child = await start();
    },
    freeze() {
      isFrozen = true;
      signalAll(child.pid, 'SIGSTOP');
    },
    thaw() {
      isFrozen = false;
      signalAll(child.pid, 'SIGCONT');
    },
    async stop() {
      if (isFrozen) signalAll(child.pid, 'SIGCONT');
      await stopChild(child, 'SIGQUIT');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Each backend is a process, and leads a group of its own. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || !existsSync(`/proc/${pid}`)) return;
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  for (const child of children) {
    try {
      process.kill(Number(child), signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Debian's place for them; the newest version. */
function postgresBinaries(): string {
  const version = (path: string) => Number(/postgresql\/(\d+)\//.exec(path)?.[1] ?? 0);
  const [newest] = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => version(`${b}/`) - version(`${a}/`));
  if (newest === undefined) throw new Error('these tests need PostgreSQL: apt-get install postgresql');
  return newest;
}

function postgresIdentity(): { uid: number; gid: number } {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
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
