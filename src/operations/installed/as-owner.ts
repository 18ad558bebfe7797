import { chownSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';
import { groupIds, type ServiceUser, userNamed } from './users.ts';

/** Whose the stores are, as far as this process is root and would leave files that the service can't open. */
export type StoresOwner = ServiceUser | undefined;

/**
 * Who owns the state directory; where there is none yet, whom the service runs as. Undefined: this process is
 * not root, or Brume runs as root.
 */
export function storesOwner(
  stateDir: string,
  service: { readonly user: string | undefined; readonly groups: readonly string[] } | undefined,
): StoresOwner {
  if (process.geteuid?.() !== 0) return undefined;
  const directory = statOf(stateDir);
  const user = directory === undefined ? userNamed(service?.user) : ownerOf(directory);
  if (user === undefined || user.uid === 0) return undefined;
  return { ...user, gids: [...new Set([...user.gids, ...groupIds(service?.groups ?? [])])] };
}

/** Makes a state directory that isn't there, as systemd would: its owner can't, in root's directory. */
export function makeStateDir(stateDir: string, owner: StoresOwner): void {
  if (owner === undefined || statOf(stateDir) !== undefined) return;
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    chownSync(stateDir, owner.uid, owner.gids[0] ?? owner.uid);
  } catch (error) {
    throw new OperationError(`${stateDir} can't be made: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Works on the stores as their owner, so that every file is made as the service makes it, and peers that judge by
 * user see the service's. The process is root again afterwards. Meanwhile all of it is the owner: whatever else
 * only root may open has to be open before.
 */
export async function asOwner<Result>(owner: StoresOwner, work: () => Promise<Result>): Promise<Result> {
  if (owner === undefined) return work();
  const groups = process.getgroups?.() ?? [];
  become(owner);
  try {
    return await work();
  } finally {
    beRootAgain();
    process.setgroups?.(groups);
  }
}

/** Also for a process that is told to end in the midst of it. */
export function beRootAgain(): void {
  if (process.getuid?.() !== 0) return;
  process.seteuid?.(0);
  process.setegid?.(process.getgid?.() ?? 0);
}

function become({ name, uid, gids }: ServiceUser): void {
  try {
    process.setgroups?.([...gids]);
    process.setegid?.(gids[0] ?? uid);
    process.seteuid?.(uid);
  } catch (error) {
    throw new OperationError(
      `The stores are ${name}'s, and this process may not work on them as ${name} (${messageOf(error)}). Run it as ${name}, or as root with all its rights.`,
      { cause: error },
    );
  }
}

function ownerOf({ uid, gid }: Stats): ServiceUser {
  return userNamed(uid) ?? { name: `uid ${uid}`, uid, gids: [gid] };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
