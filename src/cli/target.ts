import { statSync } from 'node:fs';
import type { Target } from '../client/target.ts';
import { adminSocketPath } from '../config/admin-socket-path.ts';
import { readBoundedFile } from '../config/bounded-file.ts';
import { commandLineToken, TOKEN_VARIABLE } from '../config/command-line-token.ts';
import { localUser } from '../config/local-user.ts';
import { VALUE_FILE_BYTES_MAX } from './read-text.ts';
import { UsageError } from './usage-error.ts';

/** For Brume's log, which says that the name is unverified. */
const AUTHOR_HEADER = 'x-brume-author';

export interface TargetOptions {
  readonly socket?: string;
  /** Of the management plane; checked by `managementUrl`. */
  readonly url?: string;
  readonly tokenFile?: string;
}

/**
 * Where a command finds its Brume, and as whom it comes. A token is never an argument, which everybody
 * on the machine could read in the list of processes. Throws UsageError.
 */
export function targetOf({ socket, url, tokenFile }: TargetOptions): Target {
  if (url !== undefined) {
    return { url, headers: { authorization: `Bearer ${tokenFrom(tokenFile)}` } };
  }
  if (tokenFile !== undefined) {
    throw new UsageError('--token-file goes with --url; over the admin socket no token is needed.');
  }
  const headers = { [AUTHOR_HEADER]: headerText(localUser()) };
  return { socketPath: socket ?? adminSocketPath(), headers };
}

function tokenFrom(file: string | undefined): string {
  if (file !== undefined) return checked(readToken(file), file);
  const token = commandLineToken();
  if (token !== undefined) return checked(token, TOKEN_VARIABLE);
  throw new UsageError(`--url needs a token: name a file with --token-file, or set ${TOKEN_VARIABLE}.`);
}

function readToken(file: string): string {
  try {
    const { mode } = statSync(file);
    if ((mode & 0o007) !== 0) {
      throw new UsageError(`Everybody on this machine may read ${file}: chmod 600 it.`);
    }
    return readBoundedFile(file, VALUE_FILE_BYTES_MAX).toString('utf8').trim();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UsageError(`The token file ${file} can't be read (${String(error.code)}).`);
  }
}

/** One word, as a header may carry it. What it is stays out of the message. */
function checked(token: string, source: string): string {
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new UsageError(`${source} holds no token: expected one word, as token create shows it.`);
}

/** A name as a header may carry it. */
function headerText(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '_');
}
