import { basename } from 'node:path';
import { contentOf, type PackagedFile } from './contents.ts';
import { UNITS } from './package-files.ts';

/** The units that a package enables and starts: those that say when, in an [Install] section. */
export function startedUnits(files: readonly PackagedFile[]): string[] {
  const units = files
    .filter((file) => file.path.startsWith(UNITS) && /^\[Install\]$/m.test(contentOf(file).toString()))
    .map(({ path }) => basename(path));
  // Sockets first: what connects while the service starts waits.
  return [...units.filter(isSocket), ...units.filter((unit) => !isSocket(unit))];
}

function isSocket(unit: string): boolean {
  return unit.endsWith('.socket');
}
