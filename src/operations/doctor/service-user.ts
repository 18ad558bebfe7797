import { readFileSync, type Stats, statSync } from 'node:fs';
import type { ProcessFacts } from './process-facts.ts';

/** As whom Brume runs, or will. */
export interface ServiceUser {
  readonly name: string;
  readonly uid: number;
  readonly gids: readonly number[];
}

/** The user that the packages make. */
const PACKAGED = 'brume';

/**
 * The user of the process that serves; else `brume`, if there is one of that name; else who owns the state
 * directory. Undefined: nobody can tell.
 */
export function serviceUser(process: ProcessFacts | undefined, stateDir: string): ServiceUser | undefined {
  if (process !== undefined) {
    const { uid, gids } = process;
    return { name: userName(uid), uid, gids };
  }
  const packaged = linesOf('/etc/passwd').find(([name]) => name === PACKAGED);
  if (packaged !== undefined) {
    const [name = '', , uid, gid] = packaged;
    return { name, uid: Number(uid), gids: [Number(gid), ...groupsOf(name)] };
  }
  const owner = ownerOf(stateDir);
  if (owner === undefined) return undefined;
  const name = userName(owner.uid);
  return { name, uid: owner.uid, gids: [owner.gid, ...groupsOf(name)] };
}

/** By the mode and the owners alone: ACLs and security modules are another matter. */
export function mayRead({ uid, gids }: ServiceUser, { mode, uid: owner, gid }: Stats): boolean {
  if (uid === 0) return true;
  if (uid === owner) return (mode & 0o400) !== 0;
  return (mode & (gids.includes(gid) ? 0o040 : 0o004)) !== 0;
}

/** Its name, or its number where it has none. */
export function userName(uid: number): string {
  return linesOf('/etc/passwd').find(([, , number]) => Number(number) === uid)?.[0] ?? `uid ${uid}`;
}

function groupsOf(user: string): number[] {
  return linesOf('/etc/group')
    .filter(([, , , members = '']) => members.split(',').includes(user))
    .map(([, , gid]) => Number(gid));
}

function ownerOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function linesOf(file: string): string[][] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(':'));
  } catch {
    return [];
  }
}
