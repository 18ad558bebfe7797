import { type FileHandle, open, rename } from 'node:fs/promises';
import { messageOf } from '../../errors/message-of.ts';
import type { Clock } from '../../limiter/clock.ts';
import type { SnapshotTables } from '../cache/snapshot-tables.ts';
import type { StoreLog } from '../store-log.ts';
import { type ReadSnapshot, readHead, readSnapshot, UnknownSnapshotFormat } from './read-snapshot.ts';
import type { Head } from './snapshot-lines.ts';

export interface SnapshotPlace {
  readonly path: string;
  /** Which database the snapshot must be of, without user and password. */
  readonly database: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: StoreLog;
}

/** A snapshot, or why there is none to start from: completes "The snapshot PATH …". */
export type FoundSnapshot =
  | { readonly snapshot: ReadSnapshot; readonly ageMs: number }
  | { readonly snapshot: undefined; readonly reason: string };

export interface FindOptions {
  readonly maxAgeMs: number;
  readonly newTables: () => SnapshotTables;
  /** One that is damaged stays where it is. */
  readonly isLeftInPlace?: boolean;
}

/** Looks for a snapshot that can be started from. One that is damaged is moved aside. Never rejects. */
export function findSnapshot(
  place: SnapshotPlace,
  { maxAgeMs, newTables, isLeftInPlace = false }: FindOptions,
): Promise<FoundSnapshot> {
  const { path, database, clock, log } = place;
  return withFile({ ...place, isLeftInPlace }, async (file) => {
    const head = await readHead(file);
    if (head.database !== database) return none(`is of another database, ${head.database}`);
    const snapshot = await readSnapshot(file, newTables());
    const ageMs = Math.max(0, clock.nowMs() - snapshot.confirmedAtMs);
    if (ageMs > maxAgeMs) {
      const confirmedAt = new Date(snapshot.confirmedAtMs).toISOString();
      return none(`was confirmed last at ${confirmedAt}, and BRUME_SNAPSHOT_MAX_AGE does not allow for that`);
    }
    if (snapshot.isTorn)
      log.warn({ path }, 'the last change in the snapshot was not written to its end: it is left out');
    return { snapshot, ageMs };
  });
}

/** What a snapshot says of itself; undefined if there is none, or it is of another database. Never rejects. */
export async function findHead({
  path,
  database,
}: Pick<SnapshotPlace, 'path' | 'database'>): Promise<Head | 'unreadable' | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const head = await readHead(file);
    return head.database === database ? head : undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 'unreadable';
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/**
 * Before a new snapshot takes its place: one of another installation, or one that can't be read, is moved
 * aside. Resolves with where one of another installation is now. Never rejects.
 */
export async function clearPlace(
  place: SnapshotPlace,
  identifierSecret: Uint8Array,
): Promise<string | undefined> {
  const { path, clock, log } = place;
  let movedTo: string | undefined;
  await withFile(place, async (file) => {
    const head = await readHead(file);
    if (head.identifierSecret === Buffer.from(identifierSecret).toString('hex')) return none('');
    movedTo = await moveAside(path, 'other', clock);
    log.warn(
      { path, movedTo },
      'the snapshot on disk is of another installation than the database: it was moved aside',
    );
    return none('');
  });
  return movedTo;
}

async function withFile(
  { path, clock, log, isLeftInPlace = false }: SnapshotPlace & { readonly isLeftInPlace?: boolean },
  work: (file: FileHandle) => Promise<FoundSnapshot>,
): Promise<FoundSnapshot> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    await makePrivate(path, file, log);
    return await work(file);
  } catch (error) {
    const reason = messageOf(error);
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return none('is not there');
    if (error instanceof UnknownSnapshotFormat || code !== undefined) return none(`can't be read: ${reason}`);
    const movedTo = isLeftInPlace ? undefined : await moveAside(path, 'damaged', clock);
    log.error({ err: error, path, movedTo }, 'the snapshot on disk is damaged');
    return none(`is damaged (${reason})${movedTo === undefined ? '' : ` and was moved to ${movedTo}`}`);
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** It holds the secret under which identifiers are hashed. */
async function makePrivate(path: string, file: FileHandle, log: StoreLog): Promise<void> {
  const mode = (await file.stat()).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const fields = { path, mode: mode.toString(8) };
  try {
    await file.chmod(0o600);
    log.warn(fields, 'the snapshot on disk could be read by other users: it is private again');
  } catch (error) {
    log.error({ ...fields, err: error }, 'the snapshot on disk can be read by other users');
  }
}

/** Undefined if it has to stay where it is. */
async function moveAside(
  path: string,
  why: string,
  clock: Pick<Clock, 'nowMs'>,
): Promise<string | undefined> {
  const movedTo = `${path}.${why}-${clock.nowMs()}`;
  return rename(path, movedTo).then(
    () => movedTo,
    () => undefined,
  );
}

function none(reason: string): FoundSnapshot {
  return { snapshot: undefined, reason };
}
