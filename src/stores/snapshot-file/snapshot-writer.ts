import type { Clock } from '../../limiter/clock.ts';
import type {
  Confirmation,
  SnapshotChange,
  SnapshotContents,
  SnapshotKeeper,
} from '../cache/snapshot-change.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import { baseLines } from './base-lines.ts';
import { changeText, rowsOf } from './change-text.ts';
import { BaseAbandoned, WrittenFile } from './written-file.ts';

export interface SnapshotWriterOptions {
  readonly path: string;
  /** Which database this is a copy of, without user and password. */
  readonly database: string;
  readonly contents: () => SnapshotContents | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
}

/** Counts since the start, and sizes as of now. */
export interface SnapshotWriterStats {
  /** How old what is on the disk would be for a start now; undefined until it is written. */
  readonly ageMs: number | undefined;
  readonly revision: number | undefined;
  readonly bytes: number;
  readonly writeFailures: number;
}

/** Changes that come together are written together. */
const GATHER_MS = 100;
/** How often the file says that nothing changed. */
const CONFIRM_MS = 60_000;
const RETRY_MS_MIN = 10_000;
const RETRY_MS_MAX = 300_000;
/** More than this waits only for a disk that is too slow or away: then a new base is cheaper. */
const WAITING_ROWS_MAX = 50_000;
/** The file is written anew when what was appended outgrows its base, but not for less than this. */
const APPENDED_BYTES_MIN = 1 << 20;
/** A file of another process that was not confirmed for so long is nobody's. */
const ABANDONED_AFTER_MS = 2.5 * CONFIRM_MS;

interface Waiting {
  readonly change: SnapshotChange;
  readonly to: Confirmation;
}

/**
 * Keeps the snapshot in a file, behind everybody's back: nobody waits for it, and what can't be written
 * now is written when the disk allows. Of several processes on the same path, the one that started last
 * writes.
 */
export class SnapshotWriter implements SnapshotKeeper {
  readonly #options: SnapshotWriterOptions;
  readonly #file: WrittenFile;
  #waiting: Waiting[] = [];
  #waitingRows = 0;
  /** Nothing on the disk is worth appending to. */
  #needsBase = true;
  #latest: Confirmation | undefined;
  #written: Confirmation | undefined;
  #appendedBytesMax = APPENDED_BYTES_MIN;
  #running: Promise<void> | undefined;
  #cancelNext: (() => void) | undefined;
  #failuresInARow = 0;
  #writeFailures = 0;
  #isClosed = false;

  constructor(options: SnapshotWriterOptions) {
    this.#options = options;
    this.#file = new WrittenFile(options.path);
  }

  stats(): SnapshotWriterStats {
    const nowMs = this.#options.clock.nowMs();
    return {
      ageMs: this.#written === undefined ? undefined : Math.max(0, nowMs - this.#written.confirmedAtMs),
      revision: this.#written?.revision,
      bytes: this.#file.bytes,
      writeFailures: this.#writeFailures,
    };
  }

  changed(change: SnapshotChange | undefined, to: Confirmation): void {
    this.#latest = { revision: to.revision, confirmedAtMs: to.confirmedAtMs };
    if (change === undefined) this.#needsBase = true;
    if (change !== undefined && !this.#needsBase) this.#wait([{ change, to }]);
    if (this.#waitingRows > WAITING_ROWS_MAX) this.#needsBase = true;
    if (this.#needsBase) this.#wait([], 'anew');
    this.#wakeIn(GATHER_MS);
  }

  confirmed(to: Confirmation): void {
    this.#latest = to;
    if (this.#isConfirmationDue()) this.#wakeIn(0);
  }

  /** Writes what waits. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelNext?.();
    await this.#running;
    await this.#write();
    await this.#file.close();
  }

  #wakeIn(ms: number): void {
    if (this.#isClosed || this.#cancelNext !== undefined || this.#running !== undefined) return;
    this.#cancelNext = this.#options.timers.after(ms, () => {
      this.#cancelNext = undefined;
      this.#running = this.#write().then((againInMs) => {
        this.#running = undefined;
        if (againInMs !== undefined) this.#wakeIn(againInMs);
        else if (this.#needsBase || this.#waiting.length > 0) this.#wakeIn(GATHER_MS);
      });
    });
  }

  /** Never rejects; resolves with when to write again, if not as soon as there is something to write. */
  async #write(): Promise<number | undefined> {
    const { log, path } = this.#options;
    if (this.#latest === undefined) return undefined;
    try {
      if (await this.#isKeptByAnother()) return CONFIRM_MS;
      if (this.#needsBase) await this.#writeBase();
      else {
        await this.#append();
        if (this.#file.bytes - this.#file.baseBytes > this.#appendedBytesMax) await this.#writeBase();
      }
      if (this.#failuresInARow > 0) log.info({ path }, 'the snapshot can be written to disk again');
      this.#failuresInARow = 0;
      return undefined;
    } catch (error) {
      if (error instanceof BaseAbandoned) return undefined;
      if (this.#failuresInARow === 0) {
        log.warn({ err: error, path }, "the snapshot can't be written to disk; what is there stays");
      }
      this.#failuresInARow += 1;
      this.#writeFailures += 1;
      return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.#failuresInARow - 1));
    }
  }

  /** Where two processes have the same state directory, as in a hand-over. */
  async #isKeptByAnother(): Promise<boolean> {
    const changedAtMs = await this.#file.changedByAnotherAtMs();
    if (!this.#file.hasBase) this.#needsBase = true;
    if (changedAtMs === undefined) return false;
    return this.#options.clock.nowMs() - changedAtMs < ABANDONED_AFTER_MS;
  }

  async #writeBase(): Promise<void> {
    const { contents, database } = this.#options;
    const from = contents();
    if (from === undefined) return;
    const late: Waiting[] = [];
    // From here on changes wait again. Those before are in the tables, and those that come while the
    // tables are read are done again behind the base, which harms nothing.
    this.#needsBase = false;
    this.#wait([], 'anew');
    try {
      await this.#file.writeBase({
        lines: baseLines(from, database),
        isWanted: () => !this.#needsBase,
        nextLate: async () => {
          const taken = this.#takeWaiting();
          late.push(...taken);
          return taken.length === 0 ? undefined : changesText(taken);
        },
      });
    } catch (error) {
      this.#giveBack(late);
      // The file before it is good to go on with, for a while.
      this.#appendedBytesMax = 2 * (this.#file.bytes - this.#file.baseBytes);
      throw error;
    }
    const { revision, confirmedAtMs } = from;
    this.#written = late.at(-1)?.to ?? { revision, confirmedAtMs };
    this.#appendedBytesMax = Math.max(APPENDED_BYTES_MIN, this.#file.baseBytes);
  }

  async #append(): Promise<void> {
    const taken = this.#takeWaiting();
    if (taken.length === 0) return this.#confirm();
    try {
      await this.#file.append(await changesText(taken));
    } catch (error) {
      this.#giveBack(taken);
      throw error;
    }
    this.#written = taken.at(-1)?.to;
  }

  async #confirm(): Promise<void> {
    if (this.#latest === undefined || this.#latest.revision !== this.#written?.revision) return;
    if (!this.#isConfirmationDue() && !this.#isClosed) return;
    const confirmed = this.#latest;
    await this.#file.append([JSON.stringify({ confirmed })]);
    this.#written = confirmed;
  }

  #isConfirmationDue(): boolean {
    const { confirmedAtMs = 0 } = this.#written ?? {};
    return (this.#latest?.confirmedAtMs ?? 0) - confirmedAtMs >= CONFIRM_MS;
  }

  #takeWaiting(): readonly Waiting[] {
    const taken = this.#waiting;
    this.#wait([], 'anew');
    return taken;
  }

  #giveBack(taken: readonly Waiting[]): void {
    if (!this.#file.hasBase) this.#needsBase = true;
    this.#wait(this.#needsBase ? [] : [...taken, ...this.#waiting], 'anew');
  }

  #wait(changes: readonly Waiting[], anew?: 'anew'): void {
    if (anew !== undefined) [this.#waiting, this.#waitingRows] = [[], 0];
    this.#waiting.push(...changes);
    this.#waitingRows += changes.reduce((sum, { change }) => sum + rowsOf(change), 0);
  }
}

/** The text of one line, in pieces. */
async function changesText(changes: readonly Waiting[]): Promise<string[]> {
  const pieces = ['{"changes":['];
  for (const { change, to } of changes) {
    if (pieces.length > 1) pieces.push(',');
    pieces.push(...(await changeText(change, to)));
  }
  pieces.push(']}');
  return pieces;
}
