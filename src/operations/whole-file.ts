import { closeSync, openSync, unlinkSync } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  open,
  readdir,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beRootAgain } from './installed/as-owner.ts';
import { OperationError } from './operation-error.ts';

export interface WholeFileOptions {
  /** Of the file, whatever it had. Undefined: what it had, or what a new file of this user gets. */
  readonly mode?: number;
}

/**
 * Has `write` fill a new file, which then takes the name as a whole. If that fails, or the process is
 * told to stop, nothing is left of it, and the name holds what it held. A link stays one: what it leads to
 * is replaced. What is no file (a pipe, a terminal, /dev/null) can't be replaced, and is written to.
 * Rejects with OperationError where the file system refuses.
 */
export async function writeWholeFile(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  { mode }: WholeFileOptions = {},
): Promise<void> {
  try {
    const place = await placeOf(path);
    // A file that was made read-only stays what it is, though its directory would let it be replaced.
    if (place.mode !== undefined && mode === undefined) await access(path, constants.W_OK);
    if (place.isReplaceable) await replace(place, mode ?? place.mode, write);
    else await writeInto(path, write);
  } catch (error) {
    throw fileFault(path, error);
  }
}

interface Place {
  /** Without links. */
  readonly path: string;
  readonly isReplaceable: boolean;
  /** Undefined: there is nothing yet. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

async function placeOf(path: string): Promise<Place> {
  try {
    const found = await stat(path);
    const { uid, gid, mode } = found;
    return { path: await realpath(path), isReplaceable: found.isFile(), mode: mode & 0o777, uid, gid };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return { path, isReplaceable: true };
  }
}

async function replace(
  { path, uid, gid }: Place,
  mode: number | undefined,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  await removeLeftovers(path);
  // Both within one turn: between them no signal could find the file without who removes it.
  const forget = forgetWhenStopped(temporary);
  try {
    closeSync(openSync(temporary, 'wx', mode === undefined ? 0o666 : 0o600));
    await fillNew(temporary, async (file) => {
      if (uid !== undefined && gid !== undefined) await keepOwner(file, uid, gid);
      if (mode !== undefined) await file.chmod(mode);
      await write(file);
    });
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    forget();
  }
  const directory = await open(dirname(path), 'r');
  await directory.sync().finally(() => directory.close());
}

async function fillNew(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Root may keep it; others replace a file of somebody else's by one of their own. */
async function keepOwner(file: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await file.stat();
  if (own.uid === uid && own.gid === gid) return;
  await file.chown(uid, gid).catch(() => undefined);
}

async function writeInto(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'w');
  await write(file).finally(() => file.close());
}

/** Of processes that were killed: those of a backup hold secrets, too. */
async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = /^(\d+)\.new$/.exec(name.slice(prefix.length)) ?? [];
    if (pid !== undefined && isGone(Number(pid))) await unlink(join(dirname(path), name));
  }
}

function isGone(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves with what takes it back. */
function forgetWhenStopped(temporary: string): () => void {
  const stop = () => {
    try {
      // What fills it may work as somebody who may not remove it.
      beRootAgain();
      unlinkSync(temporary);
    } catch {
      // It has its final name, or is gone.
    }
    process.exit(1);
  };
  for (const signal of STOPS) process.once(signal, stop);
  return () => {
    for (const signal of STOPS) process.removeListener(signal, stop);
  };
}

/** What the file system said, with the name of the file; other errors as they are. */
function fileFault(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new OperationError(`${path} can't be written: ${error.message}`, { cause: error });
}
