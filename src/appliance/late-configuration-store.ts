import type { Config } from '../config/config.ts';
import type { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import type { Timers } from '../stores/cache/timers.ts';
import type { GatedSql } from '../stores/sql/gated-sql.ts';
import { findIdentifierSecret } from '../stores/sql/identifier-secret.ts';
import { schemaState } from '../stores/sql/migrate.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import type { Sql } from '../stores/sql/sql.ts';
import type { Logger } from '../telemetry/log.ts';
import { prepareSchema } from './configuration-store.ts';
import { joinRegistry } from './enter-registry.ts';
import { messageOf, StartError } from './start-error.ts';

export interface LateConfigurationStoreParts {
  readonly config: Config;
  /** What everybody else asks, once it is open. */
  readonly gate: GatedSql;
  /** Behind the gate. */
  readonly sql: Sql;
  readonly snapshot: Pick<SnapshotCache, 'refresh' | 'identifierSecret'>;
  readonly timers: Timers;
  readonly log: Logger;
  /** Told how many nodes live. */
  readonly onLiveNodes: (count: number) => void;
  /** Called once, if what came is nothing that this node can go on with. */
  readonly onUnusable: (error: StartError) => void;
}

const RETRY_MS = 1000;

/** PostgreSQL is there, and does not hold what it must hold. */
class NotRestored extends Error {
  override readonly name = 'NotRestored';
}

/** A PostgreSQL that was away when Brume started, and what is done when it comes. */
export class LateConfigurationStore {
  readonly #parts: LateConfigurationStoreParts;
  #cancelRetry: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #leaveRegistry: (() => Promise<void>) | undefined;
  #lastReason = '';

  constructor(parts: LateConfigurationStoreParts) {
    this.#parts = parts;
  }

  /** Looks for it until it is there, or `stop`. */
  start(): void {
    if (this.#isStopped) return;
    this.#cancelRetry = this.#parts.timers.after(RETRY_MS, () => {
      this.#running = this.#look();
    });
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    await this.#running;
    await this.#leaveRegistry?.();
  }

  async #look(): Promise<void> {
    const { config, gate, sql, snapshot, log, onLiveNodes, onUnusable } = this.#parts;
    try {
      await this.#assertSameInstallation();
      await prepareSchema(sql, log);
      this.#leaveRegistry = await joinRegistry(config, sql, { log, onLiveNodes });
      gate.open();
      log.info('PostgreSQL is there: the configuration is read from it again');
      await snapshot.refresh();
    } catch (error) {
      if (error instanceof StartError) return onUnusable(error);
      if (error instanceof SchemaError) return onUnusable(new StartError(error.message, { cause: error }));
      this.#report(error);
      this.start();
    }
  }

  /** Before anything is written to it. */
  async #assertSameInstallation(): Promise<void> {
    const { sql, snapshot } = this.#parts;
    const { applied } = await schemaState(sql);
    const secret = applied.length === 0 ? undefined : await findIdentifierSecret(sql);
    if (secret === undefined) {
      throw new NotRestored(
        'the database is empty, and the snapshot on disk is of one that was not: restore its backup. ' +
          'To begin anew, stop Brume and move the snapshot away',
      );
    }
    if (!Buffer.from(secret).equals(snapshot.identifierSecret())) throw otherInstallation();
  }

  #report(error: unknown): void {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = messageOf(cause);
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    const isNotRestored = error instanceof NotRestored;
    const message = isNotRestored ? reason : "PostgreSQL can't be used yet";
    this.#parts.log.error(isNotRestored ? {} : { err: cause }, message);
  }
}

/** What is counted goes by the secret of the installation, so that nothing can be mixed. */
export function otherInstallation(): StartError {
  return new StartError(
    "BRUME_DATABASE_URL: the database is now another installation's: its identifier secret is not the one by " +
      'which this process counts. It ends here; the next start goes by the database as it is, with counts of ' +
      'its own. If that is not what you want, restore the right database first',
  );
}
