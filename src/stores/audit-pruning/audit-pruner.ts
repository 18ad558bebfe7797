import type { Clock } from '../../limiter/clock.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';

/** The audit as it ages. */
export interface AuditAges {
  /** From now on entries from before this moment may be removed; that is an entry itself, if there are any. */
  ageAudit(beforeMs: number): Promise<void>;
  /** Removes at most so many of them, the oldest; resolves with how many, 0 also while another node does. */
  pruneAudit(limit: number): Promise<number>;
}

export interface AuditPrunerOptions {
  readonly audit: AuditAges;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly timers: Timers;
  readonly log: Pick<StoreLog, 'warn'>;
  /** 0: entries stay for ever. */
  readonly retentionDays: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Behind the rush of a start. */
const FIRST_AFTER_MS = 60_000;
const ENTRIES_PER_SLICE = 1000;

/**
 * Removes entries of the audit by their age, day by day (UTC), in the background: once an hour it looks, and
 * removes in slices, so that no statement takes long. Of several nodes one does.
 */
export class AuditPruner {
  readonly #options: AuditPrunerOptions;
  #cancel: (() => void) | undefined;
  #pruning: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: AuditPrunerOptions) {
    this.#options = options;
    if (options.retentionDays > 0) this.#schedule(FIRST_AFTER_MS);
  }

  /** Resolves when the slice at hand is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#pruning;
  }

  #schedule(afterMs: number): void {
    this.#cancel = this.#options.timers.after(afterMs, () => {
      this.#pruning = this.#prune().then(() => {
        if (!this.#isStopped) this.#schedule(HOUR_MS);
      });
    });
  }

  /** Never rejects. */
  async #prune(): Promise<void> {
    const { audit, clock, log, retentionDays } = this.#options;
    const today = Math.floor(clock.nowMs() / DAY_MS);
    try {
      await audit.ageAudit((today - retentionDays) * DAY_MS);
      let removed: number;
      do removed = await audit.pruneAudit(ENTRIES_PER_SLICE);
      while (removed === ENTRIES_PER_SLICE && !this.#isStopped);
    } catch (err) {
      log.warn({ err }, 'old entries of the audit could not be removed; tried again in an hour');
    }
  }
}
