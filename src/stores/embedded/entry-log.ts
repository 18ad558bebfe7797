import type { Clock } from '../../limiter/clock.ts';
import type { CounterFile, CounterFileWriter } from '../sql/counter-file.ts';
import { ChangedKeys, type TakenKeys } from './changed-keys.ts';
import type { Entry, Moment } from './entry.ts';
import type { EntryTable } from './entry-table.ts';
import { Rewriting } from './rewriting.ts';
import { slicesOf } from './slices.ts';
import { encodeEntry, encodeReset, type StoredEntry } from './stored-entry.ts';

export interface EntryLogOptions {
  readonly entries: EntryTable;
  readonly file: Pick<CounterFile, 'write'>;
  readonly nextBatchId: number;
  readonly storedCount: number;
  readonly clock: Clock;
  /** What ends sooner is not written. */
  readonly lifeMsMin: number;
}

/** In one transaction; fewer where a reset waits for it. */
const CHANGES_MAX = 50_000;
const CHANGES_BESIDE_RESET_MAX = 2000;

/** Batches that are cut off at the old end in one transaction. */
const DROPS_MAX = 200;

/** By so much the wall clock must have left the other for it to count as a step. */
const CLOCK_STEP_MS = 100;

/** Appends the entries that changed to the file, and keeps it from growing without end. */
export class EntryLog {
  readonly #options: EntryLogOptions;
  readonly #changed = new ChangedKeys();
  readonly #urgent = new Set<string>();
  readonly #rewriting: Rewriting;
  #nextBatchId: number;
  /** Batches with lower ids are of no more use. */
  #cutId = 0;
  #isCut = true;
  /** Of the wall clock from the monotonic one. */
  #offsetMs: number;
  /** What was taken for a write that failed is to be written in full. */
  #isWholeWanted = false;

  constructor(options: EntryLogOptions) {
    const { entries, nextBatchId, storedCount, clock } = options;
    this.#options = options;
    this.#nextBatchId = nextBatchId;
    this.#rewriting = new Rewriting(entries, storedCount);
    this.#offsetMs = clock.nowMs() - clock.monotonicMs();
    entries.watch(this.#changed);
  }

  /** How many entries wait to be written. */
  get changedCount(): number {
    return this.#changed.size;
  }

  /** Above that of every batch in the file. */
  get nextBatchId(): number {
    return this.#nextBatchId;
  }

  /** How many entries the file holds, those included that later ones replace. */
  get storedCount(): number {
    return this.#rewriting.storedCount;
  }

  /** The next write begins with this one. */
  hurry(key: string): void {
    this.#urgent.add(key);
  }

  get isUrgent(): boolean {
    return this.#urgent.size > 0;
  }

  /** Has everything written anew, so that nothing else is left in the file. */
  rewriteAll(): void {
    this.#rewriting.restart();
  }

  /**
   * Writes what changed before this call; true if that is more than fits into one transaction. When it
   * rejects, nothing was written and all of it is kept for the next time.
   */
  async write(): Promise<boolean> {
    this.#lookAtClock();
    const changesMax = this.isUrgent ? CHANGES_BESIDE_RESET_MAX : CHANGES_MAX;
    const taken = this.#takeChanged(changesMax);
    await this.#append(taken, this.#options.lifeMsMin);
    return taken.size === changesMax || this.#rewriting.isUrgent;
  }

  /** Writes all there is to write, without regard to checks beside it. Rejects as write() does. */
  async writeRest(): Promise<void> {
    this.#lookAtClock();
    const { monotonicMs } = this.#moment();
    for (const [key, { expiresMonotonicMs }] of this.#options.entries.entries()) {
      const lastsMs = expiresMonotonicMs - monotonicMs;
      if (lastsMs > 0 && lastsMs <= this.#options.lifeMsMin) this.#changed.add(key, false);
    }
    do await this.#append(this.#takeChanged(CHANGES_MAX), 0);
    while (this.#changed.size > 0 || this.#rewriting.isUrgent || !this.#isCut);
  }

  #takeChanged(max: number): TakenKeys {
    const taken = this.#changed.take(this.#urgent, max);
    this.#urgent.clear();
    return taken;
  }

  /** What ends within `lifeMsMin` is left out; 0 at the end, when nobody else needs the event loop. */
  async #append(taken: TakenKeys, lifeMsMin: number): Promise<void> {
    const steps = this.#rewriting.stepsBeside(taken.size, this.#nextBatchId);
    if (taken.size === 0 && steps === 0 && this.#isCut && !this.#isWholeWanted) return;
    const isAllTaken = this.#changed.size === 0;
    const rewritten: string[] = [];
    try {
      const stored = concatenated(
        this.#changedEntries(taken, lifeMsMin),
        this.#rewrittenEntries(rewritten, Math.min(steps, CHANGES_MAX)),
      );
      const entryCount = await this.#writeBatches(stored, lifeMsMin === 0);
      const cutId = this.#rewriting.written(entryCount, !isAllTaken);
      if (cutId !== undefined) [this.#cutId, this.#isCut] = [cutId, false];
      if (isAllTaken) this.#isWholeWanted = false;
    } catch (error) {
      this.#changed.putBack(taken);
      this.#isWholeWanted = true;
      for (const key of rewritten) this.#changed.add(key, false);
      throw error;
    }
  }

  async #writeBatches(stored: Iterable<StoredEntry>, isHurried: boolean): Promise<number> {
    const { clock, file } = this.#options;
    let [entryCount, isCut] = [0, this.#isCut];
    await file.write(async (writer) => {
      let savedMs = clock.nowMs();
      for await (const slice of slicesOf(stored, { isHurried })) {
        entryCount += slice.entryCount;
        await writer.append({ ...slice, id: this.#nextBatchId++, savedMs });
        savedMs = clock.nowMs();
      }
      // After a failure: that nothing is left to write doesn't prove that it could be.
      if (this.#isWholeWanted && entryCount === 0) {
        await writer.append({ entryCount, entries: '[]', id: this.#nextBatchId++, savedMs });
      }
      isCut = isCut || (await this.#cut(writer));
    });
    this.#isCut = isCut;
    return entryCount;
  }

  async #cut(writer: CounterFileWriter): Promise<boolean> {
    return (await writer.dropBefore(this.#cutId, DROPS_MAX)) < DROPS_MAX;
  }

  /** Each as it is when its turn comes, which may be later than when it was taken. */
  *#changedEntries(taken: TakenKeys, lifeMsMin: number): Iterable<StoredEntry> {
    for (const [key, isShortened] of taken) {
      const entry = this.#options.entries.get(key);
      const stored = this.#ifLasting(key, entry, isShortened ? 0 : lifeMsMin, this.#isWholeWanted);
      if (stored !== undefined) yield stored;
      else if (isShortened) yield encodeReset(key);
    }
  }

  /**
   * Adds to `keys` those that it has taken. However soon they end: what was written of them before is cut
   * off, and what may be added to them needs something to stand on.
   */
  *#rewrittenEntries(keys: string[], steps: number): Iterable<StoredEntry> {
    for (let step = 0; step < steps; step++) {
      const next = this.#rewriting.take();
      if (next === undefined) return;
      keys.push(next[0]);
      const stored = this.#ifLasting(...next, 0, true);
      if (stored !== undefined) yield stored;
    }
  }

  #ifLasting(
    key: string,
    entry: Entry | undefined,
    lifeMsMin: number,
    isWhole: boolean,
  ): StoredEntry | undefined {
    const moment = this.#moment();
    return entry !== undefined && entry.expiresMonotonicMs - moment.monotonicMs > lifeMsMin
      ? encodeEntry(key, entry, moment, isWhole)
      : undefined;
  }

  /** What is on disk goes by the wall clock: where that is set anew, so is everything on disk. */
  #lookAtClock(): void {
    const { nowMs, monotonicMs } = this.#moment();
    const offsetMs = nowMs - monotonicMs;
    if (Math.abs(offsetMs - this.#offsetMs) >= CLOCK_STEP_MS) this.#rewriting.restart();
    this.#offsetMs = offsetMs;
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  }
}

function* concatenated<Item>(...parts: readonly Iterable<Item>[]): Iterable<Item> {
  for (const part of parts) yield* part;
}
