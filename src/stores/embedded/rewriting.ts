import type { Entry } from './entry.ts';
import type { EntryTable } from './entry-table.ts';

/** The file may hold this many entries that later ones have replaced, and as many again as are living. */
const REPLACED_MAX = 10_000;

/** For each change that is written, so many entries are written anew; and a few where nothing changes. */
const STEPS_EACH_CHANGE = 2;
const STEPS_MIN = 256;

/**
 * Goes round the table and has every living entry written anew, a few with each change: what was written
 * before the round began is then of no more use.
 */
export class Rewriting {
  readonly #table: EntryTable;
  /** In the file, those included that later ones have replaced. */
  #storedCount: number;
  #round: { readonly cursor: Iterator<[string, Entry]>; readonly firstBatchId: number } | undefined;
  #stepsLeft = 0;
  #storedSinceCount = 0;
  #isWanted = false;

  constructor(table: EntryTable, storedCount: number) {
    this.#table = table;
    this.#storedCount = storedCount;
  }

  /** All entries are to be written as soon as can be, beginning now. */
  restart(): void {
    this.#round = undefined;
    this.#isWanted = true;
  }

  get storedCount(): number {
    return this.#storedCount;
  }

  get isUrgent(): boolean {
    return this.#isWanted;
  }

  /** How many entries are to be taken now, beside so many changes. */
  stepsBeside(changeCount: number, nextBatchId: number): number {
    const isLong = this.#storedCount > 2 * this.#table.size + REPLACED_MAX;
    if (this.#round === undefined && (isLong || this.#isWanted)) {
      this.#round = { cursor: this.#table.entries(), firstBatchId: nextBatchId };
      // Those that come later are behind these in the table, and are written because they are new.
      this.#stepsLeft = this.#table.size;
      this.#storedSinceCount = 0;
    }
    if (this.#round === undefined) return 0;
    return this.#isWanted ? Number.POSITIVE_INFINITY : STEPS_EACH_CHANGE * changeCount + STEPS_MIN;
  }

  /** The next entry of the round; undefined when it is complete. */
  take(): [string, Entry] | undefined {
    if (this.#round === undefined || this.#stepsLeft === 0) return undefined;
    const next = this.#round.cursor.next();
    this.#stepsLeft = next.done ? 0 : this.#stepsLeft - 1;
    return next.done ? undefined : next.value;
  }

  /**
   * So many were written, and more changes wait to be, or not. The first batch that is of use, if that is
   * known now: the round is complete, and what of it could not be written at first has been since.
   */
  written(entryCount: number, isMoreWaiting: boolean): number | undefined {
    this.#storedCount += entryCount;
    this.#storedSinceCount += entryCount;
    if (this.#round === undefined || this.#stepsLeft > 0 || isMoreWaiting) return undefined;
    const { firstBatchId } = this.#round;
    this.#storedCount = this.#storedSinceCount;
    this.#round = undefined;
    this.#isWanted = false;
    return firstBatchId;
  }
}
