import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Which of these processes has a TCP connection over IPv4 with which local port. Linux only; takes some milliseconds. */
export function ownersOfPorts(pids: readonly number[]): ReadonlyMap<number, number> {
  const pidsByInode = new Map(pids.flatMap((pid) => inodesOf(pid).map((inode) => [inode, pid] as const)));
  const owners = new Map<number, number>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', , , , , , , , inode = ''] = line.trimStart().split(/\s+/, 10);
    const pid = pidsByInode.get(inode);
    if (pid !== undefined) owners.set(Number.parseInt(local.slice(local.indexOf(':') + 1), 16), pid);
  }
  return owners;
}

/** None if it has ended. */
function inodesOf(pid: number): string[] {
  let fds: string[];
  try {
    fds = readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
  return fds.flatMap((fd) => {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    } catch {
      return []; // closed meanwhile
    }
  });
}
