import { type Stats, statSync } from 'node:fs';
import { type ServiceUser, userNamed } from '../installed/users.ts';
import type { ProcessFacts } from './process-facts.ts';

/** The user that the packages make. */
const PACKAGED = 'brume';

/**
 * The user of the process that serves; else that of the installed unit; else `brume`, if there is one of that
 * name; else who owns the state directory. Undefined: nobody can tell.
 */
export function serviceUser(
  process: ProcessFacts | undefined,
  { unitUser, stateDir }: { readonly unitUser?: string | undefined; readonly stateDir: string },
): ServiceUser | undefined {
  if (process !== undefined) {
    const { uid, gids } = process;
    return { name: userNamed(uid)?.name ?? `uid ${uid}`, uid, gids };
  }
  const installed = userNamed(unitUser) ?? userNamed(PACKAGED);
  if (installed !== undefined) return installed;
  const owner = ownerOf(stateDir);
  if (owner === undefined) return undefined;
  return userNamed(owner.uid) ?? { name: `uid ${owner.uid}`, uid: owner.uid, gids: [owner.gid] };
}

/** By the mode and the owners alone: ACLs and security modules are another matter. */
export function mayRead({ uid, gids }: ServiceUser, { mode, uid: owner, gid }: Stats): boolean {
  if (uid === 0) return true;
  if (uid === owner) return (mode & 0o400) !== 0;
  return (mode & (gids.includes(gid) ? 0o040 : 0o004)) !== 0;
}

function ownerOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
