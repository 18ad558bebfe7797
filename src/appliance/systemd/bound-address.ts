import { readFileSync, readlinkSync } from 'node:fs';
import type { TcpAddress } from '../listen.ts';

/** Where a listening socket is bound: an address, or the path of a Unix socket. */
export type BoundAddress = TcpAddress | { readonly path: string };

/** Reads what the kernel says of this process; tests pass their own. */
export interface KernelView {
  /** What a descriptor is: `socket:[12345]`. */
  readonly link: (fd: number) => string;
  /** A table of sockets: `tcp`, `tcp6` or `unix`. */
  readonly table: (name: string) => string;
}

const KERNEL: KernelView = {
  link: (fd) => readlinkSync(`/proc/self/fd/${fd}`),
  table: (name) => readFileSync(`/proc/self/net/${name}`, 'latin1'),
};

/**
 * Where a descriptor that was handed over is bound, before anything listens on it: Node would tell only
 * once it accepts connections, which would be lost if the start failed after that. Undefined: it is no
 * listening socket, or the kernel doesn't tell.
 */
export function boundAddressOf(fd: number, kernel: KernelView = KERNEL): BoundAddress | undefined {
  const inode = /^socket:\[(\d+)\]$/.exec(quietly(() => kernel.link(fd)))?.[1];
  if (inode === undefined) return undefined;
  for (const name of ['tcp', 'tcp6']) {
    const address = tcpAddress(
      quietly(() => kernel.table(name)),
      inode,
    );
    if (address !== undefined) return address;
  }
  return unixPath(
    quietly(() => kernel.table('unix')),
    inode,
  );
}

/** A host without IPv6 has no table of it. */
function quietly(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** `sl local_address rem_address st …`, the inode as the tenth column; state 0A listens. */
function tcpAddress(table: string, inode: string): TcpAddress | undefined {
  for (const line of table.split('\n')) {
    const columns = line.trim().split(/\s+/);
    if (columns[9] !== inode || columns[3] !== '0A') continue;
    const [address = '', port = ''] = columns[1]?.split(':') ?? [];
    return { host: hostOf(address), port: Number.parseInt(port, 16) };
  }
  return undefined;
}

/** Words of four bytes in the machine's order, which is little-endian on all that Brume runs on. */
function hostOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  // The shortest way to write it, as everywhere else.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** `Num RefCount Protocol Flags Type St Inode Path`. */
function unixPath(table: string, inode: string): { path: string } | undefined {
  for (const line of table.split('\n')) {
    const [, found, path] = /^\S+ \S+ \S+ \S+ \S+ \S+ +(\d+) (.+)$/.exec(line) ?? [];
    if (found === inode && path !== undefined) return { path };
  }
  return undefined;
}
