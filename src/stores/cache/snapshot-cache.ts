import type { Clock } from '../../limiter/clock.ts';
import type { NamespaceKind } from '../../policy/names.ts';
import type { Namespace, PolicySnapshot, SnapshotState } from '../../policy/namespace.ts';
import type { ApiKey } from '../../tenancy/api-key.ts';
import type { StoreLog } from '../store-log.ts';
import type { FoundException } from './exception-rows.ts';
import { loadChanges } from './load-changes.ts';
import { isReplaced, type LoadedRevision } from './loaded-revision.ts';
import type { SnapshotContents, SnapshotKeeper } from './snapshot-change.ts';
import { EmptyStore, type SnapshotSource, type StoredNamespace } from './snapshot-source.ts';
import { SnapshotTables } from './snapshot-tables.ts';
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
  /** Called when the store turns out to be empty or another installation's: nothing of it is taken over. */
  readonly onLost?: (reason: string) => void;
  /** From 0 to below 1; spreads the polls of many nodes. */
  readonly random?: () => number;
}

/** Counts since the start, and sizes as of now. */
export interface SnapshotStats {
  readonly namespaces: number;
  readonly keys: number;
  readonly exceptions: number;
  /** Estimate of what the exceptions take. */
  readonly bytes: number;
  readonly refreshFailures: number;
  /** How often everything was read anew, the first time included. */
  readonly wholeLoads: number;
}

/** A poll starts after 50 to 80 % of the bound, which leaves the rest for the reading. */
const POLL_SHARE_MIN = 0.5;
const POLL_SHARE_SPREAD = 0.3;
/** So many bounds without a confirmation, and the snapshot counts as stale. */
const STALE_AFTER_BOUNDS = 3;

/**
 * The whole configuration in memory, kept current by polling one number and reading what changed.
 * While the store is away it keeps what it has and says so.
 */
export class SnapshotCache implements PolicySnapshot {
  readonly #options: SnapshotCacheOptions;
  #tables: SnapshotTables;
  #keeper: SnapshotKeeper | undefined;
  #identifierSecret: Uint8Array | undefined;
  /** Undefined as long as the store has confirmed nothing of what is in the tables. */
  #loaded: LoadedRevision | undefined;
  #revision = 0;
  #source: 'store' | 'disk' = 'store';
  /** On the monotonic clock. */
  #confirmedAtMs: number;
  #hasFailed = false;
  #refreshFailures = 0;
  #wholeLoads = 0;
  #running: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #cancelPoll: (() => void) | undefined;
  #isStopped = false;

  constructor(options: SnapshotCacheOptions) {
    this.#options = options;
    this.#confirmedAtMs = options.clock.monotonicMs();
    this.#tables = this.newTables();
  }

  namespace(projectId: string, name: string): Namespace | undefined {
    return this.#tables.namespaces.find(projectId, name);
  }

  /** The one that decides for an identifier; in kind `ip` `subject` is the full address. */
  exception(
    namespaceId: string,
    kind: NamespaceKind,
    subject: string,
    nowMs: number,
  ): FoundException | undefined {
    return this.#tables.exceptions.find(namespaceId, kind, subject, nowMs);
  }

  /** A key that could be used when the snapshot was taken. */
  key(sha256: string): ApiKey | undefined {
    return this.#tables.keys.find(sha256);
  }

  /** How many calls a day the project's tier allows; null: any number. */
  budgetOf(projectId: string): number | null {
    return this.#tables.namespaces.callsPerDayOf(projectId);
  }

  identifierSecret(): Uint8Array {
    if (this.#identifierSecret === undefined) throw new Error('the snapshot is not loaded yet');
    return this.#identifierSecret;
  }

  state(): SnapshotState {
    const ageMs = this.#options.clock.monotonicMs() - this.#confirmedAtMs;
    return {
      isLoaded: this.#identifierSecret !== undefined,
      revision: this.#revision,
      ageMs,
      isStale: this.#hasFailed || ageMs > STALE_AFTER_BOUNDS * this.#options.propagationMs,
      source: this.#source,
    };
  }

  stats(): SnapshotStats {
    const { namespaces, keys, exceptions } = this.#tables;
    return {
      namespaces: namespaces.count,
      keys: keys.size,
      exceptions: exceptions.count,
      bytes: exceptions.bytes,
      refreshFailures: this.#refreshFailures,
      wholeLoads: this.#wholeLoads,
    };
  }

  /** Undefined until something is loaded. */
  contents(): SnapshotContents | undefined {
    const { clock } = this.#options;
    if (this.#identifierSecret === undefined) return undefined;
    return {
      tables: this.#tables,
      identifierSecret: this.#identifierSecret,
      revision: this.#revision,
      confirmedAtMs: clock.nowMs() - (clock.monotonicMs() - this.#confirmedAtMs),
    };
  }

  /** Who hears of every change from now on, beginning with all of what the store has told. */
  keepBy(keeper: SnapshotKeeper): void {
    this.#keeper = keeper;
    const contents = this.#source === 'store' ? this.contents() : undefined;
    if (contents !== undefined) keeper.changed(undefined, contents);
  }

  /** Empty tables, to be filled and handed to `restore`. */
  newTables(): SnapshotTables {
    return new SnapshotTables((namespace, error) => this.#reportUnreadable(namespace, error));
  }

  /**
   * Goes by what was kept of an earlier run, before `start`, until the store answers. Then everything is
   * read anew: whether the store went on from where this was taken nobody can tell.
   */
  restore({ tables, identifierSecret, revision, confirmedAtMs }: SnapshotContents): void {
    const { clock } = this.#options;
    this.#tables = tables;
    this.#identifierSecret = identifierSecret;
    this.#revision = revision;
    this.#source = 'disk';
    this.#confirmedAtMs = clock.monotonicMs() - Math.max(0, clock.nowMs() - confirmedAtMs);
    this.#hasFailed = true;
  }

  /** What the store tells next is not known to follow what it told before: everything is read anew. */
  distrust(): void {
    this.#loaded = undefined;
    this.#hasFailed = true;
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
    const { clock, log, source } = this.#options;
    const askedAtMs = clock.monotonicMs();
    const confirmedAtMs = clock.nowMs();
    try {
      const { identifierSecret, ...found } = await source.installation();
      const { revision } = found;
      this.#assertSameInstallation(identifierSecret);
      if (revision !== this.#loaded?.revision || isReplaced(this.#loaded, found.revisedAtMs)) {
        await this.#loadChanges({ ...found, confirmedAtMs });
      } else this.#keeper?.confirmed({ revision, confirmedAtMs });
      this.#identifierSecret = identifierSecret;
      this.#source = 'store';
      this.#confirmedAtMs = askedAtMs;
      if (this.#hasFailed) log.info({ revision }, 'the configuration store answers again');
      this.#hasFailed = false;
    } catch (error) {
      if (error instanceof EmptyStore) this.#lose(error.message);
      this.#refreshFailures += 1;
      if (!this.#hasFailed) {
        log.warn({ err: error }, "the configuration can't be refreshed; the last one stays in use");
      }
      this.#hasFailed = true;
    }
  }

  async #loadChanges(at: FoundAt): Promise<void> {
    const { source, onChange = () => undefined } = this.#options;
    const { revision, revisedAtMs, confirmedAtMs } = at;
    const since = (await this.#isContinued(at)) ? this.#loaded?.revision : undefined;
    if (since === undefined && !(await source.isWhole())) throw new Error('a backup is being loaded');
    const change = await loadChanges({
      source,
      tables: this.#tables,
      since,
      onChange,
      onWhole: () => {
        this.#wholeLoads += 1;
      },
    });
    this.#loaded = { revision, revisedAtMs };
    this.#revision = revision;
    this.#keeper?.changed(change, { revision, confirmedAtMs });
  }

  /**
   * Whether what is in the tables is what the store has gone on from. A lower number means that a backup was
   * restored, or that a standby took over which never had the last changes; the same may have come again since.
   */
  async #isContinued({ revision, removalsListedAfter, revisedAtMs }: FoundAt): Promise<boolean> {
    const loaded = this.#loaded;
    if (loaded === undefined || loaded.revision > revision || loaded.revision < removalsListedAfter)
      return false;
    const isLatest = loaded.revision === revision;
    const nowAtMs = isLatest ? revisedAtMs : await this.#options.source.revisedAtMs(loaded.revision);
    return !isReplaced(loaded, nowAtMs);
  }

  /** Counts are kept under names that only this secret gives: under another one everybody would start afresh. */
  #assertSameInstallation(identifierSecret: Uint8Array): void {
    if (this.#identifierSecret === undefined || isEqual(this.#identifierSecret, identifierSecret)) return;
    const reason = "the database is another installation's: its identifier secret differs";
    this.#lose(reason);
    throw new Error(reason);
  }

  #lose(reason: string): void {
    if (this.#identifierSecret !== undefined) this.#options.onLost?.(reason);
  }

  #reportUnreadable({ id, projectId, name, version }: StoredNamespace, error: unknown): void {
    this.#options.log.error(
      { err: error, projectId, namespace: name, namespaceId: id, version },
      "a stored rule can't be read; its last good version, if any, stays in use",
    );
  }
}

interface FoundAt extends LoadedRevision {
  readonly removalsListedAfter: number;
  readonly confirmedAtMs: number;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
