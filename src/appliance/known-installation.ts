import type { Config } from '../config/config.ts';
import { findHead } from '../stores/snapshot-file/find-snapshot.ts';
import { databaseOf, snapshotPathIn } from '../stores/snapshot-file/snapshot-location.ts';

/** The installation that this node went by in the configured database, as far as its snapshot tells. */
export interface KnownInstallation {
  /** Of the snapshot. */
  readonly path: string;
  readonly identifierSecret: Uint8Array | 'unreadable';
}

/** Undefined if this node went by none, or keeps no snapshot. */
export async function knownInstallation({
  databaseUrl,
  stateDir,
  snapshotMaxAge,
}: Pick<Config, 'databaseUrl' | 'stateDir' | 'snapshotMaxAge'>): Promise<KnownInstallation | undefined> {
  if (databaseUrl === null || snapshotMaxAge === 0) return undefined;
  const path = snapshotPathIn(stateDir);
  const head = await findHead({ path, database: databaseOf(databaseUrl) });
  if (head === undefined) return undefined;
  const isReadable = head !== 'unreadable';
  return { path, identifierSecret: isReadable ? Buffer.from(head.identifierSecret, 'hex') : 'unreadable' };
}
