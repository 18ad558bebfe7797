import type { Config } from '../config/config.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Clock } from '../limiter/clock.ts';
import type { KeyCache } from '../stores/cache/key-cache.ts';
import type { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import type { Timers } from '../stores/cache/timers.ts';
import type { GatedSql } from '../stores/sql/gated-sql.ts';
import { heldInstallation } from '../stores/sql/held-installation.ts';
import type { Node } from '../stores/sql/nodes.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import type { Sql } from '../stores/sql/sql.ts';
import type { Logger } from '../telemetry/log.ts';
import { prepareSchema } from './configuration-store.ts';
import { joinRegistry } from './enter-registry.ts';
import { assertOurs, NotOurs } from './our-database.ts';
import { StartError } from './start-error.ts';

export interface RightDatabaseParts {
  readonly config: Config;
  /** What everybody else asks, while it is open. */
  readonly gate: GatedSql;
  /** Behind the gate. */
  readonly sql: Sql;
  readonly snapshot: Pick<SnapshotCache, 'refresh' | 'identifierSecret' | 'distrust'>;
  readonly keys: Pick<KeyCache, 'recheckAll'>;
  readonly snapshotPath: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly log: Logger;
  /** This node's id. */
  readonly node: string;
  /** Told which other nodes live. */
  readonly onOthers: (others: readonly Node[]) => void;
  /** Called once, if what came is nothing that this node can go on with. */
  readonly onUnusable: (error: StartError) => void;
}

const RETRY_MS = 1000;
/** How often the same reason is logged. */
const REPEAT_MS = 60_000;

/**
 * Keeps the gate shut while PostgreSQL is away since the start, or the database in it is not the one that
 * this node goes by; and opens it when that is there. Until then the node goes by what it has in memory:
 * to end it would leave its callers without verdicts, and another secret would start them all afresh.
 */
export class RightDatabase {
  readonly #parts: RightDatabaseParts;
  #cancelRetry: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isAwaited = false;
  #isStopped = false;
  #leaveRegistry: (() => Promise<void>) | undefined;
  #reported = { reason: '', untilMs: -Infinity };

  constructor(parts: RightDatabaseParts) {
    this.#parts = parts;
  }

  /** The gate is open, the database behind it the right one, and this node known in it. */
  isHere(leaveRegistry: () => Promise<void>): void {
    this.#leaveRegistry = leaveRegistry;
  }

  /** Looks for it until it is there, or `stop`. */
  await(): void {
    this.#isAwaited = true;
    if (this.#isStopped) return;
    this.#cancelRetry = this.#parts.timers.after(RETRY_MS, () => this.#startLooking());
  }

  /** What is there in its place turned out to be something else: nobody asks it any more. */
  lose(reason: string): void {
    if (this.#isAwaited || this.#isStopped) return;
    const { gate, snapshot } = this.#parts;
    this.#isAwaited = true;
    gate.shut(reason);
    snapshot.distrust();
    this.#startLooking();
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    await this.#running;
    await this.#leaveRegistry?.();
  }

  #startLooking(): void {
    this.#running = this.#look();
  }

  async #look(): Promise<void> {
    const { config, gate, sql, snapshot, keys, snapshotPath, log, node, onOthers, onUnusable } = this.#parts;
    try {
      // Before anything is written to it.
      assertOurs(await heldInstallation(sql), snapshot.identifierSecret(), snapshotPath);
      await prepareSchema(sql, log);
      gate.open();
      this.#leaveRegistry ??= await joinRegistry(config, gate, { log, node, onOthers });
      log.info('PostgreSQL is there: the configuration is read from it again');
      this.#isAwaited = false;
      this.#reported = { reason: '', untilMs: -Infinity };
      keys.recheckAll();
      await snapshot.refresh();
    } catch (error) {
      if (error instanceof SchemaError) return onUnusable(new StartError(error.message, { cause: error }));
      this.#report(error);
      this.await();
    }
  }

  #report(error: unknown): void {
    const { clock, log } = this.#parts;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = messageOf(cause);
    const nowMs = clock.monotonicMs();
    if (reason === this.#reported.reason && nowMs < this.#reported.untilMs) return;
    this.#reported = { reason, untilMs: nowMs + REPEAT_MS };
    if (error instanceof NotOurs) {
      log.error(`${reason}. Until then this node goes by the configuration that it has in memory`);
    } else log.error({ err: cause }, "PostgreSQL can't be used yet");
  }
}
