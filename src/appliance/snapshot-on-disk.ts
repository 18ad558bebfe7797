import type { Config } from '../config/config.ts';
import type { Clock } from '../limiter/clock.ts';
import type { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import { clearPlace, findSnapshot, type SnapshotPlace } from '../stores/snapshot-file/find-snapshot.ts';
import { removeLeftovers } from '../stores/snapshot-file/leftovers.ts';
import { databaseOf, snapshotPathIn } from '../stores/snapshot-file/snapshot-location.ts';
import { SnapshotWriter } from '../stores/snapshot-file/snapshot-writer.ts';
import type { Logger } from '../telemetry/log.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { addSnapshotFileMetrics } from '../telemetry/metrics/store-metrics.ts';
import { NotOurs } from './our-database.ts';
import { StartError } from './start-error.ts';
import { isPidGone } from './this-node.ts';

export interface SnapshotOnDiskParts {
  readonly snapshot: SnapshotCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
}

/** The copy of the configuration that this node starts from while PostgreSQL is away. */
export class SnapshotOnDisk {
  readonly #parts: SnapshotOnDiskParts;
  readonly #place: SnapshotPlace;
  readonly #writer: SnapshotWriter;
  readonly #maxAgeMs: number;
  #isStartedFrom = false;

  /** With the embedded database there is no need for one. */
  constructor(
    config: Pick<Config, 'stateDir' | 'snapshotMaxAge'> & { readonly databaseUrl: string },
    parts: SnapshotOnDiskParts,
  ) {
    const { snapshot, clock, log, registry } = parts;
    this.#parts = parts;
    this.#maxAgeMs = config.snapshotMaxAge;
    const path = snapshotPathIn(config.stateDir);
    const database = databaseOf(config.databaseUrl);
    this.#place = { path, database, clock, log };
    const contents = () => snapshot.contents();
    this.#writer = new SnapshotWriter({ path, database, contents, clock, timers: systemTimers, log });
    addSnapshotFileMetrics(registry, () => ({
      ...this.#writer.stats(),
      isStartedFrom: this.#isStartedFrom,
    }));
  }

  /**
   * Has the snapshot go by what is on the disk.
   *
   * @throws StartError that says why not, and first why it was asked.
   */
  async startFrom(away: StartError): Promise<void> {
    const { snapshot, log } = this.#parts;
    const { path } = this.#place;
    const maxAgeMs = this.#maxAgeMs;
    if (maxAgeMs === 0) throw nothingToStartFrom(away, 'BRUME_SNAPSHOT_MAX_AGE is 0');
    const found = await findSnapshot(this.#place, {
      maxAgeMs,
      newTables: () => snapshot.newTables(),
      // Without it the next start would take the database for a new one.
      isLeftInPlace: away instanceof NotOurs,
    });
    // The store may have answered in the meantime.
    if (snapshot.state().isLoaded) return;
    if (found.snapshot === undefined) throw nothingToStartFrom(away, `the snapshot ${path} ${found.reason}`);
    snapshot.restore(found.snapshot);
    this.#isStartedFrom = true;
    const { revision } = found.snapshot;
    log.error(
      { path, revision, ageMs: Math.round(found.ageMs) },
      `${away.message}. Starting from the snapshot on disk: what was changed since then, revoked keys too, is not known until the database is there`,
    );
  }

  /** Keeps what the configuration store tells from now on. */
  async keep(): Promise<void> {
    const { snapshot } = this.#parts;
    if (this.#maxAgeMs === 0) return;
    await removeLeftovers(this.#place.path, isPidGone);
    if (!this.#isStartedFrom) await clearPlace(this.#place, snapshot.identifierSecret());
    snapshot.keepBy(this.#writer);
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}

function nothingToStartFrom(away: StartError, reason: string): StartError {
  return new StartError(`${away.message}; and there is no configuration to go by: ${reason}`, {
    cause: away.cause,
  });
}
