import type { Clock } from '../../limiter/clock.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { FlushStats } from '../../telemetry/metrics/store-stats.ts';
import type { Timers } from '../cache/timers.ts';
import type { CounterFile } from '../sql/counter-file.ts';
import type { StoreLog } from '../store-log.ts';
import type { CountersDisk } from './counters-disk.ts';
import { EntryLog } from './entry-log.ts';
import type { EntryTable } from './entry-table.ts';

export interface CountersWriterOptions {
  readonly entries: EntryTable;
  readonly file: Pick<CounterFile, 'write' | 'close'>;
  readonly nextBatchId: number;
  readonly storedCount: number;
  /** The file holds what was left out when it was read, and is to be freed of it. */
  readonly isRewriteWanted: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
}

/**
 * Half of what a crash may lose; the other half is for the writing itself. What ends sooner is not
 * written: when a crash loses it, what it counted would have ended within that second.
 */
const WRITE_INTERVAL_MS = 500;

const SLOW_MS = 1000;
const LOG_AGAIN_MS = 60_000;

/** Writes the entries that changed, twice a second and when asked to. What can't be written is tried again. */
export class CountersWriter implements CountersDisk {
  readonly #options: CountersWriterOptions;
  readonly #entryLog: EntryLog;
  #running: Promise<void> | undefined;
  /** Those who wait for the round after the one that runs. */
  #asked: PromiseWithResolvers<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #dueMonotonicMs: number;
  #isStopped = false;
  #isFailing = false;
  #failures = 0;
  /** Everything that changed before is on disk. */
  #wholeMonotonicMs: number;
  #loggedMonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(options: CountersWriterOptions) {
    this.#options = options;
    this.#entryLog = new EntryLog({ ...options, lifeMsMin: WRITE_INTERVAL_MS });
    if (options.isRewriteWanted) this.#entryLog.rewriteAll();
    this.#wholeMonotonicMs = options.clock.monotonicMs();
    this.#dueMonotonicMs = this.#wholeMonotonicMs + WRITE_INTERVAL_MS;
    this.#schedule();
  }

  assertWritable(): void {
    if (this.#isFailing || this.#isStopped) throw notWritable(undefined);
  }

  get isSaved(): boolean {
    return !this.#isFailing;
  }

  stats(): FlushStats {
    const isWaiting = this.#isFailing || this.#running !== undefined || this.#entryLog.changedCount > 0;
    const lagMs = isWaiting ? this.#options.clock.monotonicMs() - this.#wholeMonotonicMs : 0;
    return { failures: this.#failures, lagMs };
  }

  async persist(key: string): Promise<void> {
    this.#entryLog.hurry(key);
    await this.flush();
  }

  /** A round now; rejects with CountersError if it fails. */
  async flush(): Promise<void> {
    this.#asked ??= Promise.withResolvers();
    const { promise } = this.#asked;
    if (this.#running === undefined) this.#begin();
    try {
      await promise;
    } catch (error) {
      throw notWritable(error);
    }
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    while (this.#running !== undefined) await this.#running;
    const { file, log } = this.#options;
    try {
      await this.#entryLog.writeRest();
      this.#isFailing = false;
    } catch (error) {
      this.#isFailing = true;
      log.error(
        { err: error, identifiers: this.#entryLog.changedCount },
        'the last counts could not be written to disk: the next start goes on from those written before',
      );
    }
    await file.close();
  }

  written(): { readonly nextBatchId: number; readonly storedCount: number } {
    const { nextBatchId, storedCount } = this.#entryLog;
    return { nextBatchId, storedCount };
  }

  #schedule(): void {
    const { clock, timers } = this.#options;
    const waitMs = Math.max(0, this.#dueMonotonicMs - clock.monotonicMs());
    this.#cancelTimer = timers.after(waitMs, () => this.#begin());
  }

  /** A round, in which those who have asked so far are answered. */
  #begin(): void {
    this.#cancelTimer?.();
    const asked = this.#asked;
    this.#asked = undefined;
    this.#running = this.#round()
      .then(
        () => asked?.resolve(),
        (error) => asked?.reject(error),
      )
      .then(() => {
        this.#running = undefined;
        if (this.#asked !== undefined) this.#begin();
        else if (!this.#isStopped) this.#schedule();
      });
  }

  async #round(): Promise<void> {
    const { clock } = this.#options;
    const startedMs = clock.monotonicMs();
    // A reset takes only some of the others along: their time comes as it would have.
    if (!this.#entryLog.isUrgent) this.#dueMonotonicMs = startedMs + WRITE_INTERVAL_MS;
    try {
      const isMoreLeft = await this.#entryLog.write();
      if (isMoreLeft) this.#dueMonotonicMs = startedMs;
      else this.#wholeMonotonicMs = startedMs;
      this.#succeeded(clock.monotonicMs() - startedMs);
    } catch (error) {
      this.#dueMonotonicMs = clock.monotonicMs() + WRITE_INTERVAL_MS;
      this.#failed(error);
      throw error;
    }
  }

  #succeeded(tookMs: number): void {
    const { log } = this.#options;
    if (this.#isFailing) log.info({}, 'the embedded counters are written to disk again');
    this.#isFailing = false;
    if (tookMs <= SLOW_MS || !this.#isTimeToLog()) return;
    log.warn(
      { tookMs: Math.round(tookMs) },
      'writing the embedded counters to disk takes longer than a second: a crash loses what is counted meanwhile',
    );
  }

  #failed(error: unknown): void {
    const { log } = this.#options;
    const isNew = !this.#isFailing;
    this.#failures++;
    this.#isFailing = true;
    if (!this.#isTimeToLog() && !isNew) return;
    log.error(
      { err: error, identifiers: this.#entryLog.changedCount },
      'the embedded counters can not be written to disk: checks go on, a crash would lose what is not written, ' +
        'and resets are refused until it works again',
    );
  }

  #isTimeToLog(): boolean {
    const monotonicMs = this.#options.clock.monotonicMs();
    if (monotonicMs - this.#loggedMonotonicMs < LOG_AGAIN_MS) return false;
    this.#loggedMonotonicMs = monotonicMs;
    return true;
  }
}

function notWritable(cause: unknown): CountersError {
  return new CountersError('unavailable', 'the embedded counters can not be written to disk', { cause });
}
