import type { Clock } from '../../limiter/clock.ts';
import type { WriterStats } from '../../telemetry/metrics/store-stats.ts';
import type { StoreLog } from '../store-log.ts';
import { type Noted, PendingCheckpoints } from './pending-checkpoints.ts';
import type { CheckpointStore, QuotaCheckpoint } from './quota-checkpoint.ts';

const DAY_MS = 86_400_000;

/** In one statement. */
const BATCH_MAX = 1000;

/** So many waiting quotas take some 30 MB. */
const PENDING_MAX = 100_000;

/**
 * What waited longer is not written, as nobody can tell whether it was reset since: resets are
 * remembered for RESETS_KEPT_MS.
 */
const WAITING_MS_MAX = DAY_MS;
const RESETS_KEPT_MS = 2 * DAY_MS;
/** Clocks may be apart, and an ended period does no harm. */
const ENDED_KEPT_MS = DAY_MS;

const PRUNE_INTERVAL_MS = 60_000;
const PRUNE_BATCH = 1000;

export interface CheckpointWriterOptions {
  readonly store: CheckpointStore;
  readonly clock: Clock;
  readonly log: StoreLog;
  readonly pendingMax?: number;
}

/** Collects counts and writes them in batches. What can't be written stays for the next time. */
export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions;
  readonly #pending: PendingCheckpoints;
  readonly #counts = { written: 0, failures: 0, dropped: 0 };
  #isFailing = false;
  #prunedMonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(options: CheckpointWriterOptions) {
    this.#options = options;
    this.#pending = new PendingCheckpoints(options.pendingMax ?? PENDING_MAX);
  }

  stats(): WriterStats {
    return { pending: this.#pending.size, ...this.#counts };
  }

  /** True if it is time to write. */
  note(checkpoint: QuotaCheckpoint): boolean {
    this.#pending.note(checkpoint, this.#options.clock.monotonicMs());
    return this.#pending.isCrowded && !this.#isFailing;
  }

  /** Writes what was noted before this call. Never rejects; false if the store is away. */
  async flush(): Promise<boolean> {
    const { clock, log } = this.#options;
    const waiting = this.#pending.all();
    try {
      // In one statement, a row can only be written once.
      await this.#write(waiting.flatMap(({ higher }) => higher ?? []));
      await this.#write(waiting);
      await this.#pruneSeldom(clock.monotonicMs());
    } catch (error) {
      this.#counts.failures++;
      if (!this.#isFailing) {
        log.warn(
          { err: error, waiting: this.#pending.size },
          'checkpoints of quotas can not be written; the latest counts wait for it in memory',
        );
      }
      this.#isFailing = true;
      this.#reportDropped();
      return false;
    }
    if (this.#isFailing) log.info({ written: waiting.length }, 'checkpoints of quotas are written again');
    this.#isFailing = false;
    this.#reportDropped();
    return true;
  }

  async #write(waiting: readonly Noted[]): Promise<void> {
    const { store, clock } = this.#options;
    for (let first = 0; first < waiting.length; first += BATCH_MAX) {
      const batch = waiting.slice(first, first + BATCH_MAX);
      const oldestMs = clock.monotonicMs() - WAITING_MS_MAX;
      const young = batch.filter(({ notedMonotonicMs }) => notedMonotonicMs > oldestMs);
      if (young.length > 0) await store.write(young.map(({ checkpoint }) => checkpoint));
      this.#counts.written += young.length;
      this.#pending.drop(batch);
    }
  }

  async #pruneSeldom(monotonicMs: number): Promise<void> {
    if (monotonicMs - this.#prunedMonotonicMs < PRUNE_INTERVAL_MS) return;
    const nowMs = this.#options.clock.nowMs();
    const before = { endedMs: nowMs - ENDED_KEPT_MS, resetMs: nowMs - RESETS_KEPT_MS, limit: PRUNE_BATCH };
    while (await this.#options.store.prune(before));
    // Not before it was done: until then the store is away, also if nothing waits to be written.
    this.#prunedMonotonicMs = monotonicMs;
  }

  #reportDropped(): void {
    const dropped = this.#pending.takeDroppedCount();
    if (dropped === 0) return;
    this.#counts.dropped += dropped;
    this.#options.log.warn(
      { dropped },
      'more quotas are in use than may wait for their checkpoint: those used longest ago have an older one',
    );
  }
}
