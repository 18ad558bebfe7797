import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { errorCode, StartError } from './start-error.ts';

/**
 * Makes way for a new socket at `path`: removes what a crashed process left behind, but only after
 * proving that nobody listens on it.
 *
 * The file is moved aside before it is judged and removed, so that two starting processes can't
 * take a socket from each other that the other has just bound.
 *
 * @throws StartError if somebody listens, or if the path is something other than a socket.
 */
export async function clearStaleSocket(path: string, variable: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket())
    throw new StartError(`${variable}: ${path} exists and is not a socket; it was left alone`);
  if (await isListening(path, variable)) throw inUse(path, variable);

  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return; // the other process was faster
    throw new StartError(`${variable}: the stale socket ${path} can't be removed (${errorCode(error)})`, {
      cause: error,
    });
  }
  if (await isListening(aside, variable)) {
    linkSync(aside, path);
    unlinkSync(aside);
    throw inUse(path, variable);
  }
  unlinkSync(aside);
}

function inUse(path: string, variable: string): StartError {
  return new StartError(`${variable}: another process listens on ${path}; is Brume running already?`);
}

function isListening(path: string, variable: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = errorCode(error);
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(false);
      // EAGAIN: its backlog is full, so somebody listens.
      else if (code === 'EAGAIN') resolve(true);
      else reject(new StartError(`${variable}: ${path} can't be examined (${code})`, { cause: error }));
    });
  });
}
