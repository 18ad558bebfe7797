import { type Clock, systemClock } from '../../limiter/clock.ts';
import type { Change, Undecided } from './change.ts';
import { noticeChange } from './change-notice.ts';
import { clearAway } from './clear-away.ts';
import { lockChanges, raiseRevision } from './installation.ts';
import { setProjectRevision } from './projects.ts';
import type { Sql, SqlTransaction } from './sql.ts';

/**
 * For a change that may write very many rows. Below the time in which a management route answers.
 * Other changes wait for it, or give up after their own time.
 */
export const LARGE_CHANGE_TIMEOUT_MS = 25_000;

export interface ChangesOptions {
  readonly clock?: Clock;
  /** Called after each commit and awaited, so that this node decides by a change once it is acknowledged. */
  readonly onCommit?: () => Promise<void>;
}

interface TimeOption {
  readonly timeoutMs?: number;
}

/** The only way to write configuration: each change is numbered, and its project with it. */
export class Changes {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #onCommit: () => Promise<void>;

  constructor(sql: Sql, { clock = systemClock, onCommit = async () => undefined }: ChangesOptions) {
    this.#sql = sql;
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  async make<T>(work: (change: Change) => Promise<T>, options: TimeOption = {}): Promise<T> {
    const result = await this.#sql.transaction(async (transaction) => {
      const change = await this.#begin(transaction, this.#clock.nowMs());
      return finished(change, await work(change));
    }, options);
    await this.#onCommit();
    return result;
  }

  /** Rejects with `unknown_project` if there is none of this id. */
  makeIn<T>(projectId: string, work: (change: Change) => Promise<T>, options: TimeOption = {}): Promise<T> {
    return this.make(async (change) => {
      await setProjectRevision(change.transaction, projectId, change.revision);
      return work(change);
    }, options);
  }

  /** As `makeIn`, for work that finds out whether there is anything to write. */
  async makeIfNeededIn<T>(
    projectId: string,
    work: (undecided: Undecided) => Promise<T>,
    options: TimeOption = {},
  ): Promise<T> {
    let change: Change | undefined;
    const result = await this.#sql.transaction(async (transaction) => {
      await lockChanges(transaction);
      const nowMs = this.#clock.nowMs();
      const begin = async () => {
        if (change !== undefined) return change;
        change = await this.#begin(transaction, nowMs);
        await setProjectRevision(transaction, projectId, change.revision);
        return change;
      };
      const done = await work({ transaction, nowMs, begin });
      return change === undefined ? done : finished(change, done);
    }, options);
    if (change !== undefined) await this.#onCommit();
    return result;
  }

  async #begin(transaction: SqlTransaction, nowMs: number): Promise<Change> {
    const revision = await raiseRevision(transaction);
    await noticeChange(transaction, revision);
    return { transaction, revision, nowMs };
  }
}

async function finished<T>(change: Change, result: T): Promise<T> {
  await clearAway(change);
  return result;
}
