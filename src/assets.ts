import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files that the executable carries: `package.json`, `lua/…`, `migrations/…`, and those of the API's pages. From source they lie
 * in the repository's root, one folder up; in the bundle they lie beside it (scripts/build.ts
 * replaces `import.meta.dirname` there, since a CommonJS bundle has none).
 */
const root = existsSync(join(import.meta.dirname, 'package.json'))
  ? import.meta.dirname
  : join(import.meta.dirname, '..');

/** The text of an asset, by its path in the repository: `migrations/0001-first.sql`. Throws if there is none. */
export function assetText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The names of the files in an asset folder, in byte order: `assetNames('migrations')`. */
export function assetNames(folder: string): string[] {
  return readdirSync(join(root, folder)).sort();
}
