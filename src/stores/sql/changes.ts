import { type Clock, systemClock } from '../../limiter/clock.ts';
import { raiseRevision } from './installation.ts';
import { setProjectRevision } from './projects.ts';
import type { Sql, SqlTransaction } from './sql.ts';

export interface ChangesOptions {
  readonly clock?: Clock;
  /** Called after each commit and awaited, so that this node decides by a change once it is acknowledged. */
  readonly onCommit?: () => Promise<void>;
}

/** A change under way. */
export interface Change {
  readonly transaction: SqlTransaction;
  readonly revision: number;
  readonly nowMs: number;
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

  async make<T>(work: (change: Change) => Promise<T>): Promise<T> {
    const result = await this.#sql.transaction(async (transaction) =>
      work({ transaction, revision: await raiseRevision(transaction), nowMs: this.#clock.nowMs() }),
    );
    await this.#onCommit();
    return result;
  }

  /** Rejects with `unknown_project` if there is none of this id. */
  makeIn<T>(projectId: string, work: (change: Change) => Promise<T>): Promise<T> {
    return this.make(async (change) => {
      await setProjectRevision(change.transaction, projectId, change.revision);
      return work(change);
    });
  }
}
