import { randomUUID } from 'node:crypto';
import type { Clock } from '../../limiter/clock.ts';
import type { UsageStats } from '../../telemetry/metrics/store-stats.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import type { UsageCounts } from './usage-counts.ts';
import type { UsageRecord } from './usage-record.ts';
import type { UsageTally } from './usage-tally.ts';

const DAY_MS = 86_400_000;

/** For so long it is on record by the hour, and by the day. */
const HOURS_KEPT_MS = 35 * DAY_MS;
const DAYS_KEPT_MS = 400 * DAY_MS;
/** A batch that a process could not write for longer would be added once more, if it had been written. */
const WRITERS_KEPT_MS = 35 * DAY_MS;

const PRUNE_INTERVAL_MS = 3_600_000;
const PRUNE_BATCH = 1000;

/** In one statement: so few that making it holds no check up. */
const BATCH_MAX = 250;

export interface UsageWriterOptions {
  readonly counts: UsageCounts;
  readonly record: UsageRecord;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
  readonly writtenEveryMs: number;
}

/**
 * Writes what was counted, batch by batch. A batch that failed, or of which nobody knows whether it did,
 * is handed over again as it was, under its number, before anything else; what is counted meanwhile waits
 * behind it. A crash loses what was not written.
 */
export class UsageWriter {
  readonly #options: UsageWriterOptions;
  readonly #writerId = randomUUID();
  /** The number of the first of the batches that wait. */
  #number = 1;
  #taken: UsageTally[] = [];
  #failures = 0;
  #written = 0;
  #isFailing = false;
  #prunedMonotonicMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #reportedDropped = 0;

  constructor(options: UsageWriterOptions) {
    this.#options = options;
    this.#schedule();
  }

  stats(): UsageStats {
    const { size, dropped } = this.#options.counts;
    return { pending: size, written: this.#written, failures: this.#failures, dropped };
  }

  /** Writes what waits. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#writing;
    await this.#flush();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.timers.after(this.#options.writtenEveryMs, () => {
      this.#writing = this.#round().finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    if (await this.#flush()) await this.#pruneSeldom();
  }

  /** Never rejects; false if not everything could be written. */
  async #flush(): Promise<boolean> {
    const { counts, log } = this.#options;
    try {
      await this.#writeTaken();
      this.#taken = counts.take();
      await this.#writeTaken();
    } catch (error) {
      this.#failures++;
      if (!this.#isFailing) {
        log.warn({ err: error, waiting: counts.size }, 'usage can not be written; it waits in memory');
      }
      this.#isFailing = true;
      return false;
    } finally {
      this.#reportDropped();
    }
    if (this.#isFailing) log.info({}, 'usage is written again');
    this.#isFailing = false;
    return true;
  }

  /** The tallies are nobody else's any more, so that each attempt at a batch is the same. */
  async #writeTaken(): Promise<void> {
    const { counts, record } = this.#options;
    while (this.#taken.length > 0) {
      const tallies = this.#taken.slice(0, BATCH_MAX);
      await record.addUsage({ writerId: this.#writerId, number: this.#number, tallies });
      this.#number++;
      this.#taken = this.#taken.slice(BATCH_MAX);
      counts.release(tallies.length);
      this.#written += tallies.length;
    }
  }

  /** Never rejects. */
  async #pruneSeldom(): Promise<void> {
    const { record, clock } = this.#options;
    const monotonicMs = clock.monotonicMs();
    if (monotonicMs - this.#prunedMonotonicMs < PRUNE_INTERVAL_MS) return;
    const nowMs = clock.nowMs();
    const ages = {
      hoursMs: nowMs - HOURS_KEPT_MS,
      daysMs: nowMs - DAYS_KEPT_MS,
      writersMs: nowMs - WRITERS_KEPT_MS,
      limit: PRUNE_BATCH,
    };
    try {
      while (!this.#isStopped && (await record.pruneUsage(ages)));
      this.#prunedMonotonicMs = monotonicMs;
    } catch {
      // Others say that the store is away; the next round tries again.
    }
  }

  #reportDropped(): void {
    const { counts, log } = this.#options;
    const dropped = counts.dropped - this.#reportedDropped;
    this.#reportedDropped = counts.dropped;
    if (dropped > 0) log.warn({ dropped }, 'more usage waits than there is place for: some is not counted');
  }
}
