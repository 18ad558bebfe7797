import type { HeldInstallation } from '../stores/sql/held-installation.ts';
import { StartError } from './start-error.ts';

/** PostgreSQL is there, and does not hold what this node goes by: it must be restored, or is being so. */
export class NotOurs extends StartError {}

/**
 * What is counted goes by the secret of the installation: under another one everybody would start afresh,
 * with the counts of both side by side. So a node that has a secret goes by no other database, and writes
 * nothing to it.
 */
export function assertOurs(held: HeldInstallation, identifierSecret: Uint8Array, snapshotPath: string): void {
  if (held.state === 'none') {
    throw new NotOurs(
      'BRUME_DATABASE_URL: the database is empty, and the one that this node goes by was not: restore its backup. ' +
        `If a new installation is meant, stop Brume and move ${snapshotPath} away: everybody then starts afresh`,
    );
  }
  if (isOther(held, identifierSecret)) {
    throw new NotOurs(
      "BRUME_DATABASE_URL: the database is another installation's: its identifier secret is not the one by which " +
        'this node counts. Restore the right database, or name it. If this one is meant from now on, stop Brume ' +
        `and move ${snapshotPath} away: everybody then starts afresh`,
    );
  }
  if (held.state === 'being_restored') {
    throw new NotOurs('BRUME_DATABASE_URL: a backup is being loaded into the database');
  }
}

export function isOther(held: HeldInstallation, identifierSecret: Uint8Array): boolean {
  return held.state !== 'none' && !Buffer.from(held.identifierSecret).equals(identifierSecret);
}
