import type { SqlTransaction } from './sql.ts';

/** A change of the configuration under way. */
export interface Change {
  readonly transaction: SqlTransaction;
  readonly revision: number;
  readonly nowMs: number;
}

/** What may become a change. No other change is under way meanwhile. */
export interface Undecided extends Omit<Change, 'revision'> {
  /** Comes before the first write; asked again, it gives the same change. */
  begin(): Promise<Change>;
}
