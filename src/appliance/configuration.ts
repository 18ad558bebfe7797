import type { Config } from '../config/config.ts';
import type { Clock } from '../limiter/clock.ts';
import { KeyCache } from '../stores/cache/key-cache.ts';
import { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import { snapshotPathIn } from '../stores/snapshot-file/snapshot-location.ts';
import type { BorrowedSql } from '../stores/sql/borrowed-sql.ts';
import { GatedSql } from '../stores/sql/gated-sql.ts';
import type { Node } from '../stores/sql/nodes.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { SqlKeyDirectory } from '../stores/sql/sql-key-directory.ts';
import { SqlSnapshotSource } from '../stores/sql/sql-snapshot-source.ts';
import { tracedKeys } from '../stores/traced/traced-keys.ts';
import type { Logger } from '../telemetry/log.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import type { SpanMaker } from '../telemetry/tracing/tracing.ts';
import { assertMayMigrate } from './before-migrating.ts';
import type { Closers } from './closers.ts';
import { openConfigurationStore } from './configuration-store.ts';
import { enterRegistry } from './enter-registry.ts';
import { RightDatabase } from './right-database.ts';
import { SnapshotOnDisk } from './snapshot-on-disk.ts';
import { StartError } from './start-error.ts';

export interface Configuration {
  readonly sql: Sql;
  readonly snapshot: SnapshotCache;
  readonly keys: KeyCache;
  /** How many nodes serve from this store, as far as is known; 1 until it has been asked. */
  readonly liveNodes: () => number;
  /** The others of them. */
  readonly otherNodes: () => readonly Node[];
  /** It answers, and refuses what is written. */
  readonly isReadOnly: () => boolean;
  /** PostgreSQL has not answered yet: the snapshot is that of an earlier run. */
  readonly isLate: boolean;
  /** Resolves if the store turns out to be nothing that this process can go on with. */
  readonly unusable: Promise<StartError>;
}

interface ConfigurationParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** This node's id. */
  readonly node: string;
  readonly registry: MetricsRegistry;
  readonly tracing: SpanMaker | undefined;
  readonly opened: Closers;
  /** This process holds the lock of the state directory already. */
  readonly isDirectoryOwned: boolean;
  /** Another process still serves from it. */
  readonly borrowed: BorrowedSql | undefined;
}

/**
 * The configuration in memory, and its store. With PostgreSQL away, the snapshot on disk serves until it
 * comes.
 *
 * @throws StartError if there is neither.
 */
export async function openConfiguration(config: Config, parts: ConfigurationParts): Promise<Configuration> {
  const { log, node, tracing, opened } = parts;
  const { sql, away } = await openConfigurationStore(config, log, {
    ...parts,
    assertMayMigrate: (found) => assertMayMigrate(config, found),
  });
  opened.add(() => sql.close());
  const gate = new GatedSql(sql);
  let otherNodes: readonly Node[] = [];
  const onOthers = (others: readonly Node[]): void => {
    otherNodes = others;
  };
  const unusable = Promise.withResolvers<StartError>();
  const directory = new SqlKeyDirectory(gate);
  const keys = new KeyCache({
    ...config,
    ...parts,
    directory: tracing === undefined ? directory : tracedKeys(directory, tracing),
    timers: systemTimers,
  });
  const snapshot = new SnapshotCache({
    ...config,
    ...parts,
    source: new SqlSnapshotSource(gate),
    timers: systemTimers,
    onChange: (hasChanged) => keys.invalidate(hasChanged),
    onLost: (reason) => database.lose(reason),
  });
  const database = new RightDatabase({
    ...parts,
    config,
    gate,
    sql,
    snapshot,
    keys,
    snapshotPath: snapshotPathIn(config.stateDir),
    timers: systemTimers,
    onOthers,
    onUnusable: unusable.resolve,
  });
  const disk = snapshotOnDisk(config, snapshot, parts);

  if (away === undefined) {
    gate.open();
    database.isHere(await enterRegistry(config, gate, { log, node, onOthers }));
    opened.add(() => database.stop());
    opened.add(() => snapshot.stop());
    await snapshot.start();
    if (!snapshot.state().isLoaded) await startFrom(disk, unreadable());
  } else {
    await startFrom(disk, away);
    opened.add(() => snapshot.stop());
    await snapshot.start();
    opened.add(() => database.stop());
    database.await();
  }
  await disk?.keep();
  const isLate = snapshot.state().source === 'disk';
  const isReadOnly = () => sql.writeStats().isReadOnly;
  return {
    sql: gate,
    snapshot,
    keys,
    liveNodes: () => otherNodes.length + 1,
    otherNodes: () => otherNodes,
    isReadOnly,
    isLate,
    unusable: unusable.promise,
  };
}

function snapshotOnDisk(
  config: Config,
  snapshot: SnapshotCache,
  parts: ConfigurationParts,
): SnapshotOnDisk | undefined {
  const { databaseUrl } = config;
  if (databaseUrl === null) return undefined;
  const disk = new SnapshotOnDisk({ ...config, databaseUrl }, { ...parts, snapshot });
  parts.opened.add(() => disk.close());
  return disk;
}

async function startFrom(disk: SnapshotOnDisk | undefined, away: StartError): Promise<void> {
  if (disk === undefined) throw away;
  await disk.startFrom(away);
}

function unreadable(): StartError {
  return new StartError('the configuration could not be read; the line before this one says why');
}
