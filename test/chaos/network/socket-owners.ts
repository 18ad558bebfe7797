import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The local ports of a process's TCP connections over IPv4; none if it has ended. Linux only. */
export function portsOf(pid: number): ReadonlySet<number> {
  try {
    const inodes = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)));
    const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1);
    return new Set(
      lines.flatMap((line) => {
        const [, local = '', , , , , , , , inode] = line.trim().split(/\s+/);
        return inodes.has(inode) ? [Number.parseInt(local.slice(local.indexOf(':') + 1), 16)] : [];
      }),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return new Set();
    throw error;
  }
}

/** undefined for what is no socket, or closed meanwhile. */
function inodeOf(path: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
  } catch {
    return undefined;
  }
}
