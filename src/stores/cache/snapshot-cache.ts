import type { Clock } from '../../limiter/clock.ts';
import type { Namespace, PolicySnapshot, SnapshotState } from '../../policy/namespace.ts';
import type { StoreLog } from '../store-log.ts';
import { NamespaceTable } from './namespace-table.ts';
import type { SnapshotSource, StoredNamespace } from './snapshot-source.ts';
import type { Timers } from './timers.ts';

export interface SnapshotCacheOptions {
  readonly source: SnapshotSource;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
  /** The bound within which a change is seen. */
  readonly propagationMs: number;
  /**
   * Called after each change, before anything is decided by the new state. Tells of any project,
   * also of one that this snapshot never had, whether it changed or is gone.
   */
  readonly onChange?: (hasChanged: (projectId: string) => boolean) => void;
  /** From 0 to below 1; spreads the polls of many nodes. */
  readonly random?: () => number;
}

/** A poll starts after 60 to 90 % of the bound, which leaves the rest for the reading. */
const POLL_SHARE_MIN = 0.6;
const POLL_SHARE_SPREAD = 0.3;
/** So many bounds without a confirmation, and the snapshot counts as stale. */
const STALE_AFTER_BOUNDS = 3;
const NO_REVISION = -1;

/**
 * All namespaces in memory, kept current by polling one number. While the store is away it keeps
 * what it has and says so.
 */
export class SnapshotCache implements PolicySnapshot {
  readonly #options: SnapshotCacheOptions;
  readonly #table: NamespaceTable;
  #identifierSecret: Uint8Array | undefined;
  #revision = NO_REVISION;
  #confirmedAtMs: number;
  #hasFailed = false;
  #running: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #cancelPoll: (() => void) | undefined;
  #isStopped = false;

  constructor(options: SnapshotCacheOptions) {
    this.#options = options;
    this.#confirmedAtMs = options.clock.monotonicMs();
    this.#table = new NamespaceTable((namespace, error) => this.#reportUnreadable(namespace, error));
  }

  namespace(projectId: string, name: string): Namespace | undefined {
    return this.#table.find(projectId, name);
  }

  identifierSecret(): Uint8Array {
    if (this.#identifierSecret === undefined) throw new Error('the snapshot is not loaded yet');
    return this.#identifierSecret;
  }

  state(): SnapshotState {
    const ageMs = this.#options.clock.monotonicMs() - this.#confirmedAtMs;
    return {
      isLoaded: this.#identifierSecret !== undefined,
      revision: Math.max(0, this.#revision),
      ageMs,
      isStale: this.#hasFailed || ageMs > STALE_AFTER_BOUNDS * this.#options.propagationMs,
    };
  }

  /** Loads, and goes on polling until `stop`. Resolves also if the store was away: see `state()`. */
  async start(): Promise<void> {
    await this.refresh();
    this.#schedulePoll();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPoll?.();
    await this.#running;
  }

  /**
   * Resolves once everything committed before this call is in the snapshot, or the store failed to
   * answer. Never rejects, and never runs twice at once: calls during a refresh share the next one.
   */
  refresh(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    if (this.#running === undefined) {
      this.#running = this.#load().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      return this.refresh();
    });
    return this.#waiting;
  }

  #schedulePoll(): void {
    if (this.#isStopped) return;
    const { timers, propagationMs, random = Math.random } = this.#options;
    const share = POLL_SHARE_MIN + POLL_SHARE_SPREAD * random();
    this.#cancelPoll = timers.after(propagationMs * share, () => {
      void this.refresh().then(() => this.#schedulePoll());
    });
  }

  async #load(): Promise<void> {
    const askedAtMs = this.#options.clock.monotonicMs();
    try {
      const { revision, identifierSecret } = await this.#options.source.installation();
      if (revision !== this.#revision) await this.#loadChanges(revision);
      this.#identifierSecret = identifierSecret;
      this.#revision = revision;
      this.#confirmedAtMs = askedAtMs;
      if (this.#hasFailed) this.#options.log.info({ revision }, 'the configuration store answers again');
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) {
        this.#options.log.warn(
          { err: error },
          "the configuration can't be refreshed; the last one stays in use",
        );
      }
      this.#hasFailed = true;
    }
  }

  async #loadChanges(revision: number): Promise<void> {
    const { source, onChange } = this.#options;
    // A lower number means that a backup was restored: nothing known can be relied on.
    const since = revision < this.#revision ? NO_REVISION : this.#revision;
    const projects = await source.projectRevisions();
    const rows = Map.groupBy(await source.namespacesChangedAfter(since), (row) => row.projectId);
    const changed = new Set([...projects].filter(([, at]) => at > since).map(([id]) => id));
    const gone = [...this.#table.projectIds()].filter((id) => !projects.has(id));
    onChange?.((id) => changed.has(id) || !projects.has(id));
    for (const id of gone) this.#table.drop(id);
    for (const id of changed) this.#table.replace(id, rows.get(id) ?? []);
  }

  #reportUnreadable({ id, projectId, name, version }: StoredNamespace, error: unknown): void {
    this.#options.log.error(
      { err: error, projectId, namespace: name, namespaceId: id, version },
      "a stored rule can't be read; its last good version, if any, stays in use",
    );
  }
}
