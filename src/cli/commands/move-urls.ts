import { resolve } from 'node:path';
import { readBoundedFile } from '../../config/bounded-file.ts';
import type { Kind } from '../../config/kinds/kind.ts';
import { messageOf } from '../../errors/message-of.ts';
import { VALUE_FILE_BYTES_MAX } from '../read-text.ts';
import { UsageError } from '../usage-error.ts';

export interface GivenUrl {
  readonly url: string;
  /** That it was read from; undefined: it stood on the command line. */
  readonly file: string | undefined;
}

/** A URL as `--NAME` or `--NAME-file` gives it; undefined for neither. What is wrong is said without showing it. */
export function givenUrl(
  name: string,
  url: string | undefined,
  path: string | undefined,
  kind: Kind<string>,
): GivenUrl | undefined {
  if (url !== undefined && path !== undefined)
    throw new UsageError(`Give --${name} or --${name}-file, not both.`);
  const given = path === undefined ? url : read(name, path);
  if (given === undefined) return undefined;
  const fault = kind.fault(given);
  if (fault !== undefined) {
    throw new UsageError(
      `--${name}${path === undefined ? '' : '-file'}: ${fault}. Expected: ${kind.expected}`,
    );
  }
  return { url: given, file: path === undefined ? undefined : resolve(path) };
}

function read(name: string, path: string): string {
  try {
    return readBoundedFile(path, VALUE_FILE_BYTES_MAX)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`--${name}-file: the file can't be read: ${reason}`);
  }
}
