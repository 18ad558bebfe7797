import { statSync } from 'node:fs';
import type { Target } from './target.ts';

export type ConnectionFault = 'missing' | 'not_permitted' | 'refused' | 'timeout' | 'broken';

const FAULT_OF_CODE: Readonly<Record<string, ConnectionFault>> = {
  ENOENT: 'missing',
  ENOTFOUND: 'missing',
  EACCES: 'not_permitted',
  EPERM: 'not_permitted',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
};

/** Brume could not be reached, or gave no whole answer. The message says what to look at next. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly fault: ConnectionFault;
  /** It was to be reached on a Unix socket. */
  readonly isSocket: boolean;

  constructor(fault: ConnectionFault, target: Target, cause?: unknown) {
    super('socketPath' in target ? socketMessage(fault, target.socketPath) : urlMessage(fault, target.url), {
      cause,
    });
    this.fault = fault;
    this.isSocket = 'socketPath' in target;
  }
}

/** Tells what a failed request's error means. */
export function connectionErrorOf(error: unknown, target: Target): ConnectionError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new ConnectionError(FAULT_OF_CODE[code] ?? 'broken', target, error);
}

function socketMessage(fault: ConnectionFault, path: string): string {
  if (fault === 'refused' && isDirectory(path)) return `${path} is a directory. Name the socket in it.`;
  return {
    missing: `There is no socket ${path}. Is Brume running? Look with: systemctl status brume`,
    not_permitted: `This user may not open the socket ${path}. Run the command as root, or as a member of the group brume-admin.`,
    refused: `Nobody listens on the socket ${path}: Brume is stopped or starting. Look with: systemctl status brume`,
    timeout: `Brume did not answer in time on the socket ${path}. Its log may say why: journalctl -u brume`,
    broken: `The connection to the socket ${path} broke before the whole answer came. Is it Brume that listens there?`,
  }[fault];
}

function urlMessage(fault: ConnectionFault, url: string): string {
  const { origin } = new URL(url);
  return {
    missing: `The host of ${origin} is not known. Is its name right?`,
    not_permitted: `This user may not connect to ${origin}.`,
    refused: `Nobody listens at ${origin}. Is Brume running, and is the port right?`,
    timeout: `Brume did not answer in time at ${origin}.`,
    broken: `The connection to ${origin} broke before the whole answer came. Is it Brume that listens there?`,
  }[fault];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
