import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, StartError } from './start-error.ts';

/** The sockets of a configuration. */
export interface SocketPaths {
  readonly adminSocket: string;
  /** Null: the data plane has none. */
  readonly socket: string | null;
}

/** Anyone may look into it: the sockets in it have their own modes. */
const MODE = 0o755;

/**
 * Makes the directories of the sockets, and sees that sockets can be made there, before anything
 * else is created or listens.
 *
 * @throws StartError naming the variable at fault.
 */
export function prepareSocketDirectories({ adminSocket, socket }: SocketPaths): void {
  prepare('BRUME_ADMIN_SOCKET', dirname(adminSocket));
  if (socket !== null) prepare('BRUME_SOCKET', dirname(socket));
}

function prepare(variable: string, directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: MODE });
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `${variable}: a socket can't be made in ${directory} (${errorCode(error)}): create the directory for the user who runs Brume, or set ${variable}`,
      { cause: error },
    );
  }
}
