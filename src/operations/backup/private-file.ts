import { closeSync, openSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperationError } from '../operation-error.ts';

/**
 * Has `write` fill a new file that only its owner can read, which then takes the name as a whole. If that
 * fails, or the process is told to stop, nothing is left of it.
 */
export async function writePrivateFile(
  path: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  await removeLeftovers(path).catch((error) => {
    throw fileFault(path, error);
  });
  // Both within one turn: between them no signal could find the file without who removes it.
  const forget = forgetWhenStopped(temporary);
  try {
    closeSync(openSync(temporary, 'wx', 0o600));
    await fillNew(temporary, write);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw fileFault(path, error);
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

/** Of processes that were killed: they hold secrets, too. */
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
