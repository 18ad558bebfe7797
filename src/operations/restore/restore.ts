import type { Readable } from 'node:stream';
import { FORMAT_VERSION as COUNTERS_FORMAT } from '../../stores/embedded/stored-entry.ts';
import { clearPlace, findHead } from '../../stores/snapshot-file/find-snapshot.ts';
import { databaseOf, snapshotPathIn } from '../../stores/snapshot-file/snapshot-location.ts';
import { carriedOf } from '../../stores/sql/dump/dumped-schema.ts';
import { loadCountersAlone, loadIntoStateDir } from '../../stores/sql/dump/load-into-state-dir.ts';
import { NO_LOG } from '../../stores/sql/dump/read-at-one-moment.ts';
import { writePostgres } from '../../stores/sql/dump/write-postgres.ts';
import { assertNotMoved } from '../../stores/sql/moved-mark.ts';
import type { BackupSummary } from '../backup/backup-header.ts';
import { type OpenBackup, openBackup } from '../backup/read-backup.ts';
import { asOwner, makeStateDir, type StoresOwner } from '../installed/as-owner.ts';
import { OperationError } from '../operation-error.ts';
import { operatorError } from '../operator-error.ts';
import type { StoresConfig } from '../stores-config.ts';
import { checkedLoad, type Loaded } from './checked-load.ts';

export interface RestoreOptions {
  readonly input: Readable;
  /** Of the file, for messages. */
  readonly name: string;
  /** What is in the stores gives way. */
  readonly isReplacing: boolean;
  readonly owner?: StoresOwner;
}

export interface Restored extends BackupSummary {
  readonly revision: number;
  /** What became of the embedded counters. */
  readonly counters: 'restored' | 'none_in_backup' | 'left_out';
  /** Where this machine's snapshot of another installation in this database is now, if there was one. */
  readonly movedSnapshot: string | undefined;
}

/** Puts a backup into the configured stores, all of it or none. Rejects with OperationError. */
export async function restore(config: StoresConfig, options: RestoreOptions): Promise<Restored> {
  const { owner } = options;
  if (config.databaseUrl === null || config.redisUrl === null) makeStateDir(config.stateDir, owner);
  return asOwner(owner, () => restoreOpened(config, options));
}

async function restoreOpened(config: StoresConfig, options: RestoreOptions): Promise<Restored> {
  const backup = await openBackup(options.input, options.name);
  try {
    assertKnown(backup, options.name);
    const { revision, identifierSecret } = await load(config, backup, options.isReplacing);
    const movedSnapshot = await clearSnapshot(config, identifierSecret);
    const { header, rows } = backup;
    const isCounted = header.countersFormat > 0;
    const counters = isCounted ? (config.redisUrl === null ? 'restored' : 'left_out') : 'none_in_backup';
    return { header, rows, revision, counters, movedSnapshot };
  } catch (error) {
    throw operatorError(error);
  } finally {
    backup.close();
  }
}

function assertKnown({ header }: OpenBackup, name: string): void {
  carriedOf(header.schema, name);
  if (header.countersFormat <= COUNTERS_FORMAT) return;
  throw new OperationError(
    `${name} has counters in format ${header.countersFormat}, made by Brume ${header.brume}: this one knows the formats ` +
      `up to ${COUNTERS_FORMAT}. Use that Brume, or a newer one.`,
  );
}

function load(config: StoresConfig, backup: OpenBackup, isReplacing: boolean): Promise<Loaded> {
  const { databaseUrl, stateDir, sqlTimeoutMs } = config;
  const isCountedHere = config.redisUrl === null;
  if (databaseUrl === null) {
    assertNotMoved(stateDir);
    return loadIntoStateDir(stateDir, ({ transaction, counters }) =>
      checkedLoad(transaction, { backup, isReplacing, counters: isCountedHere ? counters : undefined }),
    );
  }
  const postgres = { databaseUrl, sqlTimeoutMs };
  if (!isCountedHere) {
    return writePostgres(postgres, (transaction) =>
      checkedLoad(transaction, { backup, isReplacing, counters: undefined }),
    );
  }
  // Two stores have no transaction in common: that of the counters ends right behind the other.
  return loadCountersAlone(stateDir, async (counters, commit) => {
    const loaded = await writePostgres(postgres, (transaction) =>
      checkedLoad(transaction, { backup, isReplacing, counters }),
    );
    await commit();
    return loaded;
  });
}

/** A node here would not start beside it: what it knows of the database is no longer so. */
async function clearSnapshot(
  { databaseUrl, stateDir }: StoresConfig,
  identifierSecret: Uint8Array,
): Promise<string | undefined> {
  if (databaseUrl === null) return undefined;
  const database = databaseOf(databaseUrl);
  const head = await findHead({ path: snapshotPathIn(stateDir), database });
  if (head === undefined || head === 'unreadable') return undefined;
  const place = { path: snapshotPathIn(stateDir), database, clock: { nowMs: () => Date.now() }, log: NO_LOG };
  return clearPlace(place, identifierSecret);
}
