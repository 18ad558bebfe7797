import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Removes what processes that were killed while they wrote a base left behind. Never rejects. */
export async function removeLeftovers(path: string, isGone: (pid: number) => boolean): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = /^([0-9]+)\.new$/.exec(name.slice(prefix.length)) ?? [];
    if (pid !== undefined && isGone(Number(pid))) {
      await unlink(join(dirname(path), name)).catch(() => undefined);
    }
  }
}
