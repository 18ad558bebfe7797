import { readFileSync } from 'node:fs';

/** A user of this machine. */
export interface ServiceUser {
  readonly name: string;
  readonly uid: number;
  /** The primary one first. */
  readonly gids: readonly number[];
}

/** By name or number, as /etc/passwd and /etc/group have it; undefined: there is none. */
export function userNamed(nameOrUid: string | number | undefined): ServiceUser | undefined {
  const found = linesOf('/etc/passwd').find(([name, , uid]) =>
    typeof nameOrUid === 'number' ? Number(uid) === nameOrUid : name === nameOrUid,
  );
  if (found === undefined) return undefined;
  const [name = '', , uid, gid] = found;
  return { name, uid: Number(uid), gids: [Number(gid), ...gidsOf(name)] };
}

/** Numbers of groups that there are. */
export function groupIds(names: readonly string[]): number[] {
  return linesOf('/etc/group')
    .filter(([name = '', , gid = '']) => names.includes(name) || names.includes(gid))
    .map(([, , gid]) => Number(gid));
}

/** Its name, or its number where it has none. */
export function userName(uid: number): string {
  return userNamed(uid)?.name ?? `uid ${uid}`;
}

function gidsOf(user: string): number[] {
  return linesOf('/etc/group')
    .filter(([, , , members = '']) => members.split(',').includes(user))
    .map(([, , gid]) => Number(gid));
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
