import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of a package, of whatever format. */
export interface PackagedFile {
  /** Where it is installed, without the leading slash. */
  readonly path: string;
  readonly mode: number;
  /** The file that it is copied from, or what is in it. */
  readonly content: { readonly copyOf: string } | { readonly text: string | Buffer };
  /** The administrator's own as soon as it is there: upgrades don't overwrite what was edited. */
  readonly isConfiguration?: boolean;
}

/** Writes the files below `into`, all with the same time, in seconds since 1970, also the folders. */
export function writeTree(files: readonly PackagedFile[], into: string, timeSeconds: number): void {
  for (const { path, mode, content } of files) {
    const target = join(into, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    if ('copyOf' in content) copyFileSync(content.copyOf, target);
    else writeFileSync(target, content.text);
    chmodSync(target, mode);
    utimesSync(target, timeSeconds, timeSeconds);
  }
  for (const folder of foldersOf(files)) lutimesSync(join(into, folder), timeSeconds, timeSeconds);
}

/** The folders above the files, `''` among them. */
export function foldersOf(files: readonly PackagedFile[]): Set<string> {
  const folders = new Set(['']);
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return folders;
}

export function contentOf({ content }: PackagedFile): Buffer {
  return 'copyOf' in content ? readFileSync(content.copyOf) : Buffer.from(content.text);
}
