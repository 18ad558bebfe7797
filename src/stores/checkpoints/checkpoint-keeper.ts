import type { Clock } from '../../limiter/clock.ts';
import type { CheckpointStats } from '../../telemetry/metrics/store-stats.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import type { CheckpointStore, QuotaCheckpoint, RestorableCounters, StoreEpoch } from './quota-checkpoint.ts';
import { type Restored, restoreAll } from './restore-all.ts';

export interface CheckpointKeeperOptions {
  readonly counters: RestorableCounters;
  readonly store: CheckpointStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
  /** How old a checkpoint may be. */
  readonly checkpointMs: number;
  /** The store can't be asked yet: what counters of this process lost is restored when it can. */
  readonly isStoreAway?: boolean;
  /** Counters of this process have lost nothing. */
  readonly isWhole?: boolean;
}

/** Between two pages of checkpoints, while checks go on. */
const RESTORE_PAUSE_MS = 5;

class Stopped extends Error {}

/**
 * Writes checkpoints in rounds, and gives the counters back what they lost: at the start where they live
 * in this process, else whenever their store's mark is gone or has changed. Any number of nodes may
 * restore at once.
 */
export class CheckpointKeeper {
  readonly #options: CheckpointKeeperOptions;
  readonly #writer: CheckpointWriter;
  /** Counters of this process have not been given back yet what is in the store. */
  #isRestoreOwed = false;
  /** The mark under which the store's counts are whole, as this node knows it. */
  #mark: string | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #cancelRound: (() => void) | undefined;
  #endPause: (() => void) | undefined;
  #isStopped = false;
  #isFailing = false;
  #losses = 0;
  #lostAtMs: number | undefined;
  #isLossNoted = false;
  #restored = 0;

  constructor(options: CheckpointKeeperOptions) {
    this.#options = options;
    this.#writer = new CheckpointWriter(options);
  }

  /** Rejects where the counters of this process could not be restored. */
  async start(): Promise<void> {
    const { counters, isStoreAway = false, isWhole = false } = this.#options;
    const { epoch } = counters;
    this.#isRestoreOwed = epoch === undefined && isStoreAway;
    if (epoch === undefined && !isStoreAway && !isWhole) this.#report(await this.#restore(0));
    epoch?.onConnect(() => this.#hurry());
    this.#schedule();
  }

  /** Writes what waits. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRound?.();
    this.#endPause?.();
    await this.#running;
    await this.#writer.flush();
  }

  stats(): CheckpointStats {
    return {
      ...this.#writer.stats(),
      losses: this.#losses,
      lostAtMs: this.#lostAtMs,
      restored: this.#restored,
    };
  }

  note(checkpoints: readonly QuotaCheckpoint[]): void {
    for (const checkpoint of checkpoints) {
      if (this.#writer.note(checkpoint) && this.#running === undefined) this.#hurry();
    }
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancelRound?.();
    this.#cancelRound = this.#options.timers.after(this.#options.checkpointMs, () => this.#hurry());
  }

  /** A round now, or after the one that runs. */
  #hurry(): void {
    if (this.#isStopped) return;
    if (this.#running !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#cancelRound?.();
    this.#running = this.#round().finally(() => {
      this.#running = undefined;
      if (!this.#isAskedAgain) return this.#schedule();
      this.#isAskedAgain = false;
      this.#hurry();
    });
  }

  /** Never rejects. What this node knows is written first, so that it is part of what is restored. */
  async #round(): Promise<void> {
    const isWritten = await this.#writer.flush();
    if (!isWritten) return;
    try {
      const { epoch } = this.#options.counters;
      await (epoch === undefined ? this.#restoreOwed() : this.#restoreLost(epoch));
    } catch (error) {
      if (!this.#isFailing && !(error instanceof Stopped)) {
        this.#options.log.warn({ err: error }, 'quotas can not be restored from their checkpoints yet');
      }
      this.#isFailing = true;
    }
  }

  async #restoreOwed(): Promise<void> {
    if (!this.#isRestoreOwed) return;
    this.#report(await this.#restore(RESTORE_PAUSE_MS));
    this.#isRestoreOwed = false;
    this.#isFailing = false;
  }

  async #restoreLost(epoch: StoreEpoch): Promise<void> {
    if (await this.#isWhole(epoch)) return;
    // A store, or a part of one, that this node never saw whole may be a new one.
    if (this.#mark !== undefined && epoch.hasLost?.() !== false) this.#noteLoss();
    const mark = await epoch.begin();
    // What was counted since the round has begun, and lost with the rest, is part of it.
    if (!(await this.#writer.flush())) return;
    const restored = await this.#restore(RESTORE_PAUSE_MS);
    // It had less than what was counted there before this node looked: it was emptied while nobody did.
    if (restored.raised > 0) this.#noteLoss();
    // Lost again in the meantime? Then the next round finds another mark, or none, and begins anew.
    await epoch.finish(mark);
    this.#mark = mark;
    this.#isLossNoted = false;
    this.#report(restored);
    this.#isFailing = false;
  }

  /** Once for each, however many rounds it takes to restore it. */
  #noteLoss(): void {
    if (this.#isLossNoted) return;
    this.#isLossNoted = true;
    this.#losses++;
    this.#lostAtMs = this.#options.clock.nowMs();
    this.#options.log.warn(
      {},
      'the counters may have lost what they had counted: limits may begin anew, quotas are restored from their checkpoints',
    );
  }

  /** Nothing was lost, or nobody can tell now. */
  async #isWhole(epoch: StoreEpoch): Promise<boolean> {
    let seen: string | undefined;
    try {
      seen = await epoch.look();
    } catch {
      // The store is away: whoever checks says so, and its return is a reason to look again.
      return true;
    }
    // With another mark, another node has restored what was lost: without what only this one knew.
    if (seen === undefined || (this.#mark !== undefined && this.#mark !== seen)) return false;
    this.#mark = seen;
    return true;
  }

  #restore(pauseMs: number): Promise<Restored> {
    const { store, counters, clock, timers } = this.#options;
    return restoreAll({
      store,
      counters,
      nowMs: clock.nowMs(),
      pauseMs,
      pause: (ms) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        timers.after(ms, resolve);
        this.#endPause = resolve;
        return promise;
      },
      assertWanted: () => {
        if (this.#isStopped) throw new Stopped();
      },
    });
  }

  #report({ checkpoints, raised }: Restored): void {
    this.#restored += raised;
    // After a clean restart the counts on disk are the later ones.
    if (raised === 0) return;
    const { log, checkpointMs } = this.#options;
    log.info(
      { checkpoints, raised, ageMsMax: checkpointMs },
      'quotas were restored from their checkpoints: the last counts before the loss may be missing',
    );
  }
}
