import type { KnownEntries } from '../stores/embedded/known-entries.ts';
import type { StateDirLock } from '../stores/sql/state-dir-lock.ts';

/** Embedded stores that are this process's before they are opened. */
export interface OwnedStores {
  /** Given back when they have been closed, or could not be opened. */
  readonly lock: StateDirLock;
  /** What is known of the counters already; undefined: they are all to be read. */
  readonly counters: KnownEntries | undefined;
}
