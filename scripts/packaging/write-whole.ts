import { renameSync, rmSync } from 'node:fs';

/**
 * Has a tool write a file beside its place and moves it there when the tool ended well: who looks there, or
 * goes on after the tool was killed, finds the whole file, the one of before or none. Returns the place.
 */
export function writeWhole(path: string, write: (beside: string) => void): string {
  const beside = `${path}.unfinished`;
  try {
    write(beside);
    renameSync(beside, path);
  } finally {
    rmSync(beside, { force: true });
  }
  return path;
}
