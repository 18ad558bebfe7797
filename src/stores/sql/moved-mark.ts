import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile } from './sqlite-file.ts';
import { StateDirError } from './state-dir-error.ts';

/** Says that the embedded stores of a directory were moved, and where to. */
function movedMarkPath(stateDir: string): string {
  return join(stateDir, 'moved.json');
}

/** Throws StateDirError where the embedded stores were moved: served from both, each would admit the whole limit. */
export function assertNotMoved(stateDir: string): void {
  const path = movedMarkPath(stateDir);
  if (!existsSync(path)) return;
  throw new StateDirError(
    `the embedded stores in ${stateDir} were moved to ${movedTo(path)}, and Brume would serve from both: set ` +
      `BRUME_DATABASE_URL. To go back to what they held before the move, stop every node there and remove ${path}`,
    undefined,
  );
}

function movedTo(path: string): string {
  try {
    const { to }: { to?: unknown } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof to === 'string' ? to : 'PostgreSQL';
  } catch {
    return 'PostgreSQL';
  }
}

/** On disk, and for good, when it resolves. */
export async function markAsMoved(
  stateDir: string,
  mark: { readonly to: string; readonly at: string },
): Promise<void> {
  const path = movedMarkPath(stateDir);
  const temporary = `${path}.new`;
  makePrivateFile(temporary);
  writeFileSync(temporary, `${JSON.stringify(mark)}\n`, { flush: true });
  renameSync(temporary, path);
  const directory = openSync(stateDir, 'r');
  fsyncSync(directory);
  closeSync(directory);
}
