import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';

/**
 * Files that Brume carries, by their paths in the repository: `package.json`, `lua/…`, `migrations/…`
 * and what else scripts/packaging/carried-files.ts lists. The executable has them inside. From source
 * they lie in the repository's root, one folder up; in the bundle they lie beside it (the build
 * replaces `import.meta.dirname` there, since a CommonJS bundle has none).
 */
const root = existsSync(join(import.meta.dirname, 'package.json'))
  ? import.meta.dirname
  : join(import.meta.dirname, '..');

/** The text of an asset: `migrations/0001-first.sql`. Throws if there is none. */
export function assetText(path: string): string {
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(root, path), 'utf8');
}

/** The names of the files in an asset folder, in byte order: `assetNames('migrations')`. */
export function assetNames(folder: string): string[] {
  if (!isSea()) return readdirSync(join(root, folder)).sort();
  const start = `${folder}/`;
  return getAssetKeys()
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length))
    .sort();
}
