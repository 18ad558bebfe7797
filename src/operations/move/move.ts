import { hostname } from 'node:os';
import { startedEntries } from '../../stores/embedded/started-entries.ts';
import { MovedCounters } from '../../stores/redis/moved-counters.ts';
import type { RedisAccess } from '../../stores/redis/redis-address.ts';
import { dumpTables, type SnapshotReader } from '../../stores/sql/dump/dump-tables.ts';
import { dumpedCheckpoints } from '../../stores/sql/dump/dumped-checkpoints.ts';
import { type DumpedMigration, dumpedSchema } from '../../stores/sql/dump/dumped-schema.ts';
import { loadDump } from '../../stores/sql/dump/load-dump.ts';
import { databasePath, NO_LOG, readSqliteFile } from '../../stores/sql/dump/read-at-one-moment.ts';
import { lookAtTarget } from '../../stores/sql/dump/target.ts';
import { writePostgres } from '../../stores/sql/dump/write-postgres.ts';
import { findInstallation } from '../../stores/sql/installation.ts';
import { assertNotMoved, markAsMoved } from '../../stores/sql/moved-mark.ts';
import { namespaceOf, selectNamespacesChangedAfter } from '../../stores/sql/namespaces.ts';
import { lockMigrations } from '../../stores/sql/schema-migrations.ts';
import type { SqlTransaction } from '../../stores/sql/sql.ts';
import { lockStateDir } from '../../stores/sql/state-dir-lock.ts';
import { systemTime } from '../../stores/system-time.ts';
import type { RowCounts } from '../backup/backup-header.ts';
import { OperationError } from '../operation-error.ts';
import { operatorError } from '../operator-error.ts';
import type { StoresConfig } from '../stores-config.ts';
import { assertMovable, type MoveSource } from './movable.ts';
import { placeOf } from './place.ts';

export interface MoveOptions {
  /** Of PostgreSQL. */
  readonly to: string;
  /** Null: the counters stay where they are. */
  readonly redis: string | null;
  /** What the URL of Redis doesn't say. */
  readonly access?: RedisAccess;
}

export interface Moved {
  readonly rows: RowCounts;
  /** Identifiers whose counters are in Redis now; null where they stay. */
  readonly identifiers: number | null;
  /** Entries of the counters that could not be read. */
  readonly damaged: number;
  /** Host, port and database, without user and password. */
  readonly to: string;
}

/**
 * Moves the embedded stores to PostgreSQL, and their counters to Redis: all or nothing. The source is only
 * read, and marked once all is done. Rejects with OperationError.
 */
export async function move(config: StoresConfig, options: MoveOptions): Promise<Moved> {
  try {
    assertEmbedded(config, options);
    assertNotMoved(config.stateDir);
    const lock = lockStateDir(config.stateDir);
    try {
      return await readSqliteFile(databasePath(config.stateDir), (reader) =>
        moveLocked(config, options, reader),
      );
    } finally {
      lock.giveBack();
    }
  } catch (error) {
    throw operatorError(error);
  }
}

function assertEmbedded({ databaseUrl, redisUrl }: StoresConfig, { redis }: MoveOptions): void {
  if (databaseUrl !== null) {
    throw new OperationError(
      'BRUME_DATABASE_URL is set: the configuration is in PostgreSQL already. To move from the embedded database, ' +
        'leave it out of the configuration until the move is done.',
    );
  }
  if (redisUrl !== null && redis !== null) {
    throw new OperationError('BRUME_REDIS_URL is set: the counters are in Redis already. Leave out --redis.');
  }
}

async function moveLocked(
  config: StoresConfig,
  options: MoveOptions,
  reader: SnapshotReader,
): Promise<Moved> {
  const schema = await dumpedSchema(reader);
  if (schema.length === 0) throw new OperationError('There is nothing to move: the store has no schema yet.');
  const { revision, identifierSecret } = await findInstallation(reader);
  const source: MoveSource = { reader, schema, revision, identifierSecret };
  const counters =
    options.redis === null
      ? undefined
      : await claimRedis({ url: options.redis, access: options.access }, identifierSecret);
  const progress: Progress = { isLoaded: false, identifiers: null, damaged: 0 };
  const { to: databaseUrl } = options;
  let rows: RowCounts;
  try {
    rows = await writePostgres({ ...config, databaseUrl }, async (transaction) => {
      const loaded = await loadConfiguration(transaction, source);
      if (counters !== undefined) await writeCounters(config, reader, counters, progress);
      progress.isLoaded = true;
      return loaded;
    });
  } catch (error) {
    // With everything written, nobody knows whether the commit was: a repeat finds out.
    await (progress.isLoaded ? counters?.leave() : counters?.abandon());
    throw error;
  }
  const to = placeOf(databaseUrl);
  try {
    await markAsMoved(config.stateDir, { to, at: new Date().toISOString() });
  } catch (error) {
    await counters?.leave();
    throw error;
  }
  await counters?.complete();
  return { rows, identifiers: progress.identifiers, damaged: progress.damaged, to };
}

interface Progress {
  isLoaded: boolean;
  identifiers: number | null;
  damaged: number;
}

function claimRedis(
  redis: { readonly url: string; readonly access: RedisAccess | undefined },
  identifierSecret: Uint8Array,
): Promise<MovedCounters> {
  const holder = `brume move, process ${process.pid} on ${hostname()}`;
  return MovedCounters.begin({ ...redis, identifierSecret, holder, clock: systemTime, log: NO_LOG });
}

async function loadConfiguration(transaction: SqlTransaction, source: MoveSource): Promise<RowCounts> {
  await lockMigrations(transaction);
  const target = await lookAtTarget(transaction);
  assertMovable(target, source);
  const schema: readonly DumpedMigration[] = source.schema;
  const items = dumpTables(source.reader);
  return Object.fromEntries(await loadDump(transaction, items, { schema, target, nowMs: Date.now() }));
}

async function writeCounters(
  { stateDir }: StoresConfig,
  reader: SnapshotReader,
  counters: MovedCounters,
  progress: Progress,
): Promise<void> {
  const started = await startedEntries({ stateDir, clock: systemTime }, dumpedCheckpoints(reader));
  const sets = (await selectNamespacesChangedAfter(reader, -1)).map((row) => namespaceOf(row).rule);
  progress.damaged = started.damagedCount;
  progress.identifiers = await counters.write(started.entries.entries(), sets);
}
