import type { SnapshotReader } from '../../stores/sql/dump/dump-tables.ts';
import type { DumpedMigration } from '../../stores/sql/dump/dumped-schema.ts';
import type { Target } from '../../stores/sql/dump/target.ts';
import { OperationError } from '../operation-error.ts';
import { assertNobodyServes } from '../restore/checked-load.ts';

/** The embedded configuration store that is moved. */
export interface MoveSource {
  readonly reader: SnapshotReader;
  readonly schema: readonly DumpedMigration[];
  readonly revision: number;
  readonly identifierSecret: Uint8Array;
}

/** Throws OperationError unless the database holds nothing of Brume's, or a move of just this whose end was lost. */
export function assertMovable(target: Target, source: MoveSource): void {
  assertNobodyServes(target);
  const { installation, filled } = target;
  const secret = Buffer.from(source.identifierSecret).toString('hex');
  const isOurs = installation?.identifierSecret === secret;
  if (isOurs && installation.revision === source.revision) return;
  if (isOurs) {
    throw new OperationError(
      'The database holds this installation already, and has changed since it was moved there. Set BRUME_DATABASE_URL to ' +
        'go on with it; to begin anew from the embedded stores, move into an empty database.',
    );
  }
  if (filled.length > 0) {
    throw new OperationError(
      `The database is not empty (${filled.join(', ')}): another Brume is configured in it. Move into an empty database.`,
    );
  }
}
