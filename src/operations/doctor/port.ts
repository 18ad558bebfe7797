import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { codeOf } from './finding.ts';

/** Takes the place and gives it back at once. Resolves with why it can't be had: `EADDRINUSE`; undefined: it can. */
export function bindFault({ host, port }: { host: string; port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}

const LISTENING = '0A';

/** Who listens on a port of TCP, as `nginx (process 4711)`; undefined: nobody, or this user may not see it. */
export function holderOfPort(port: number): string | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => inodesIn(table, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of processes()) {
    if (!descriptorsOf(pid).some((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''))) continue;
    return pid === '1' ? 'systemd, for a socket unit' : `${nameOf(pid)} (process ${pid})`;
  }
  return undefined;
}

/** `sl local_address rem_address st … uid timeout inode`, addresses and ports in hexadecimal. */
function inodesIn(table: string, port: number): string[] {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0');
  return read(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${hexadecimal}`) === true && state === LISTENING)
    .flatMap((fields) => fields[9] ?? []);
}

function processes(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function descriptorsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  } catch {
    return []; // another user's, or gone
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function nameOf(pid: string): string {
  return read(`/proc/${pid}/comm`).trim();
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
