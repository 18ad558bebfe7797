import type { Clock } from '../../limiter/clock.ts';
import type { CheckpointStore, Cursor, QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import {
  deleteCheckpoints,
  deleteEndedCheckpoints,
  deleteOldResets,
  lockCheckpoints,
  recordReset,
  selectCheckpoints,
  upsertCheckpoints,
} from './quota-checkpoints.ts';
import type { Sql, SqlTransaction } from './sql.ts';
import { Turns } from './turns.ts';

/** Who waits longer for this node's turn gives up. */
const TURN_TIMEOUT_MS = 5000;

/** Checkpoints in the database. Every call takes its turn under one lock. */
export class SqlCheckpointStore implements CheckpointStore {
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** So that many resets at once wait here, and not each in a connection that others need. */
  readonly #turns = new Turns();

  constructor(sql: Sql, clock: Pick<Clock, 'nowMs'>) {
    this.#sql = sql;
    this.#clock = clock;
  }

  write(checkpoints: readonly QuotaCheckpoint[]): Promise<void> {
    return this.#inTurn((transaction) => upsertCheckpoints(transaction, checkpoints, this.#clock.nowMs()));
  }

  reset(key: string, forget: () => Promise<number>): Promise<void> {
    return this.#inTurn(async (transaction) => {
      await deleteCheckpoints(transaction, key);
      const resetMs = await forget();
      await recordReset(transaction, key, resetMs, this.#clock.nowMs());
    });
  }

  restorePage(
    page: { readonly after: Cursor; readonly endingAfterMs: number; readonly limit: number },
    restore: (checkpoints: readonly QuotaCheckpoint[]) => Promise<void>,
  ): Promise<readonly QuotaCheckpoint[]> {
    return this.#inTurn(async (transaction) => {
      const checkpoints = await selectCheckpoints(transaction, page);
      if (checkpoints.length > 0) await restore(checkpoints);
      return checkpoints;
    });
  }

  prune({ endedMs, resetMs, limit }: { endedMs: number; resetMs: number; limit: number }): Promise<boolean> {
    return this.#inTurn(async (transaction) => {
      const ended = await deleteEndedCheckpoints(transaction, endedMs, limit);
      const reset = await deleteOldResets(transaction, resetMs, limit);
      return ended === limit || reset === limit;
    });
  }

  async #inTurn<Result>(work: (transaction: SqlTransaction) => Promise<Result>): Promise<Result> {
    const done = await this.#turns.take(TURN_TIMEOUT_MS);
    try {
      return await this.#sql.transaction(async (transaction) => {
        await lockCheckpoints(transaction);
        return work(transaction);
      });
    } finally {
      done();
    }
  }
}
