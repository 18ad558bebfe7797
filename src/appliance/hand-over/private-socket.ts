import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { bind } from '../listen.ts';
import { StartError } from '../start-error.ts';

/** Of a longer path a part would be bound (unix(7)). */
const PATH_BYTES_MAX = 107;
/** Of the directory's owner alone. */
const SOCKET_UMASK = 0o177;

/** Where the next process asks for the stores. */
export function handOverPath(stateDir: string): string {
  return join(stateDir, 'hand-over.sock');
}

/** Where the process of this generation takes requests of the one before it. */
export function forwardingPath(stateDir: string, generation: number): string {
  return join(stateDir, `hand-over-${generation}.sock`);
}

/**
 * Listens on a Unix socket of mode 0600. To be called while this process has the lock of the directory: what is
 * at the path is nobody's.
 *
 * @throws StartError if the path is too long, or whatever binding fails with.
 */
export async function bindPrivately(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new StartError(`${path} is too long for a socket`);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) unlinkSync(path);
  // Binding happens within the call, so the file never has wider permissions, not even briefly.
  const umask = process.umask(SOCKET_UMASK);
  let bound: Promise<void>;
  try {
    bound = bind(server, { path });
  } finally {
    process.umask(umask);
  }
  await bound;
}

/** Removes what processes left behind that were killed. With the lock, and where no hand-over is under way. */
export function removeSockets(stateDir: string): void {
  for (const name of readdirSync(stateDir)) {
    if (/^hand-over(-\d+)?\.sock$/.test(name)) unlinkSync(join(stateDir, name));
  }
}
