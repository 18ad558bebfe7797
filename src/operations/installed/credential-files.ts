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
  /** Directories that this user may not look into. */
  readonly hidden: readonly string[];
}

/** The files of those credentials that are there, as systemd would find them. */
export function credentialFiles(
  loaded: readonly LoadedCredential[],
  stores: readonly string[],
): FoundCredentials {
  const files = new Map<string, string>();
  const hidden = new Set<string>();
  for (const { name, source } of loaded) {
    const places = isAbsolute(source) ? [source] : stores.map((store) => join(store, source));
    for (const directory of places.map((place) => dirname(place)).filter(isHidden)) hidden.add(directory);
    const path = places.find((place) => existsSync(place));
    for (const [found, file] of path === undefined ? [] : filesAt(path, name)) files.set(found, file);
  }
  return { files, hidden: [...hidden] };
}

/** A directory stands for all files in it; the credential's name and `_` come before each of theirs. */
function filesAt(path: string, name: string): (readonly [name: string, path: string])[] {
  if (!statSync(path).isDirectory()) return [[name, path]];
  return readdirSync(path).map((file) => [`${name}_${file}`, join(path, file)] as const);
}

function isHidden(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}
