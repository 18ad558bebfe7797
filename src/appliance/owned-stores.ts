import type { BorrowedCounters } from '../stores/embedded/borrowed-counters.ts';
import type { KnownEntries } from '../stores/embedded/load-entries.ts';
import type { BorrowedSql } from '../stores/sql/borrowed-sql.ts';
import type { StateDirLock } from '../stores/sql/state-dir-lock.ts';

/** Embedded stores that are this process's before they are opened. */
export interface OwnedStores {
  /** Given back when they have been closed, or could not be opened. */
  readonly lock: StateDirLock;
  /** What is known of the counters already; undefined: they are all to be read. */
  readonly counters?: KnownEntries | undefined;
}

/** Embedded stores from which another process serves, until that gives them up. */
export class BorrowedStores {
  readonly sql: BorrowedSql;
  /** Undefined: they are in Redis. */
  readonly counters: BorrowedCounters | undefined;
  #lock: StateDirLock | undefined;

  constructor(sql: BorrowedSql, counters: BorrowedCounters | undefined) {
    this.sql = sql;
    this.counters = counters;
  }

  /** They are this process's own; what holds the lock is to be given to nobody else. */
  async own(lock: StateDirLock): Promise<void> {
    this.#lock = lock;
    await this.counters?.own();
    this.sql.own();
  }

  giveBack(): void {
    this.#lock?.giveBack();
  }

  /** Of stores that nothing was built on. */
  async close(): Promise<void> {
    await this.counters?.counters.close();
    await this.sql.close();
  }
}
