import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { LoadedCredential } from './unit-credentials.ts';

/** Where systemd looks for a credential that a unit names without a path, in this order. */
export const STORES = [
  '/run/credentials/@system',
  '/etc/credstore',
  '/run/credstore',
  '/usr/local/lib/credstore',
  '/usr/lib/credstore',
];
export const ENCRYPTED_STORES = STORES.slice(1).map((path) => `${path}.encrypted`);

export interface FoundCredentials {
  /** The file of each that is there, by its name. */
  readonly files: ReadonlyMap<string, string>;
  /** What is there and can't be a credential. */
  readonly unusable: readonly UnusableCredential[];
  /** Directories that this user may not look into. */
  readonly hidden: readonly string[];
}

interface UnusableCredential {
  readonly name: string;
  readonly path: string;
  /** `a directory`. */
  readonly kind: string;
}

/** The files of those credentials that are there, as systemd would find them. */
export function credentialFiles(
  loaded: readonly LoadedCredential[],
  stores: readonly string[],
): FoundCredentials {
  const files = new Map<string, string>();
  const unusable: UnusableCredential[] = [];
  const hidden = new Set<string>();
  for (const { name, source } of loaded) {
    const places = isAbsolute(source) ? [source] : stores.map((store) => join(store, source));
    for (const directory of places.map((place) => dirname(place)).filter(isHidden)) hidden.add(directory);
    const path = places.find((place) => existsSync(place));
    if (path === undefined) continue;
    const kind = kindOf(path);
    // Named by its path, a socket is read from, and a directory stands for all files in it.
    if (kind === undefined || (kind === SOCKET && isAbsolute(source))) files.set(name, path);
    else unusable.push({ name, path, kind });
    if (kind === DIRECTORY && isAbsolute(source))
      for (const file of readdirSync(path)) files.set(`${name}_${file}`, join(path, file));
  }
  return { files, unusable, hidden: [...hidden] };
}

const DIRECTORY = 'a directory';
const SOCKET = 'a socket';

/** Undefined: a file. Of a pipe systemd, and whoever else opens it, may wait for ever. */
function kindOf(path: string): string | undefined {
  const stats = statSync(path);
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return DIRECTORY;
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? SOCKET : 'a device';
}

function isHidden(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}
