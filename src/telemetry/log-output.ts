import { fstatSync, write, writeSync } from 'node:fs';
import { redactor } from './redaction.ts';

/** How lines reach their reader; tests pass their own. */
export interface OutputParts {
  /** As `fs.write` and `fs.writeSync`; the latter for the end, when there is no event loop any more. */
  readonly write: (bytes: Buffer, done: (error: Error | null, written: number) => void) => void;
  readonly writeSync: (bytes: Buffer) => number;
  /** Told when writing begins to fail and, at the end, how many lines were lost for good. */
  readonly complain: (text: string) => void;
  readonly waitingBytesMax: number;
}

/** Lines beyond this are dropped and counted. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** Docker takes lines apart that come in larger pieces. */
const CHUNK_LENGTH_MAX = 16 * 1024;
/** After a full pipe, which its reader empties in no time, and after a fault. */
const BUSY_RETRY_MS = 10;
const FAULT_RETRY_MS = 500;
/** An exit waits for a slow reader for a second, no longer. */
const EXIT_TRIES = 100;

const NOTHING = Buffer.alloc(0);
const NEW_LINE = 0x0a;
/** Nobody ever wakes whoever waits on it. */
const CLOCK = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes log lines in order and never waits for their reader. What can't be written (a full disk, a
 * closed pipe, a reader that stalls) waits in a bounded memory and is tried again; beyond that,
 * lines are dropped and counted, and the log says how many when it can be written again.
 *
 * Pino's own destination repeats a failed write for ever when the process ends, and says nothing
 * more after EPIPE.
 */
export class LogOutput {
  readonly #parts: OutputParts;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  /** What is being written, or has failed and is tried again; empty if there is nothing to do. */
  #chunk: Buffer = NOTHING;
  #isWriting = false;
  #isFailing = false;
  #lostLines = 0;
  #lostLinesTotal = 0;

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  /** Lines that were dropped since the start, whether the log has told so by now or not. */
  get lostLinesTotal(): number {
    return this.#lostLinesTotal;
  }

  /** Takes one line, with its end. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#chunk.length + this.#waitingBytes + bytes > this.#parts.waitingBytesMax) {
      this.#lostLines++;
      this.#lostLinesTotal++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#chunk.length === 0) this.#writeNext();
  }

  /** Writes what waits, as far as that works soon; for the end of the process. */
  flushSync(): void {
    // A write that is under way in another thread is finished by Node before the process ends.
    if (this.#isWriting) this.#chunk = NOTHING;
    let triesLeft = EXIT_TRIES;
    while (triesLeft > 0 && this.#takeChunk()) {
      try {
        this.#chunk = this.#chunk.subarray(this.#parts.writeSync(this.#chunk));
      } catch (error) {
        triesLeft = isBusy(error) ? triesLeft - 1 : 0;
        if (triesLeft > 0) Atomics.wait(CLOCK, 0, 0, BUSY_RETRY_MS);
      }
    }
    const lost = this.#lostLines + this.#waiting.length + linesIn(this.#chunk);
    if (lost > 0) this.#parts.complain(`${lost} log lines were lost`);
  }

  #writeNext(): void {
    if (!this.#takeChunk()) return;
    this.#isWriting = true;
    this.#parts.write(this.#chunk, (error, written) => {
      this.#isWriting = false;
      if (error === null) {
        this.#isFailing = false;
        this.#chunk = this.#chunk.subarray(written);
        this.#writeNext();
        return;
      }
      const isSlow = isBusy(error);
      if (!this.#isFailing && !isSlow) {
        this.#parts.complain(`the log can't be written and will be tried again: ${error.message}`);
      }
      this.#isFailing = !isSlow;
      setTimeout(() => this.#writeNext(), isSlow ? BUSY_RETRY_MS : FAULT_RETRY_MS).unref();
    });
  }

  /** Makes the next lines the chunk to write, unless some of it is left. False if there is nothing. */
  #takeChunk(): boolean {
    if (this.#chunk.length > 0) return true;
    // Only once all that waited is written: the line stands where others are missing.
    if (this.#waiting.length === 0 && this.#lostLines > 0) this.#reportLost();
    let count = 0;
    for (let length = 0; count < this.#waiting.length && length < CHUNK_LENGTH_MAX; count++) {
      length += this.#waiting[count]?.length ?? 0;
    }
    this.#chunk = Buffer.from(this.#waiting.splice(0, count).join(''));
    this.#waitingBytes -= this.#chunk.length;
    return count > 0;
  }

  #reportLost(): void {
    const time = new Date().toISOString();
    const line = `${JSON.stringify({ level: 'warn', time, lostLines: this.#lostLines, msg: 'log lines were lost' })}\n`;
    this.#lostLines = 0;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
  }
}

/** The reader is slow, which is no news to the operator. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === NEW_LINE) lines++;
  return lines;
}

/** Brume's own standard output as a log, flushed when the process ends. */
export function standardOutput(): LogOutput {
  // Node makes a pipe or a socket non-blocking when it is first looked at.
  void process.stdout;
  void process.stderr;
  const kind = fstatSync(1);
  const neverBlocks = kind.isFIFO() || kind.isSocket();
  const output = new LogOutput({
    // A disk or a terminal can block, so that is left to another thread.
    write: neverBlocks ? writeNow : (bytes, done) => write(1, bytes, done),
    writeSync: (bytes) => writeSync(1, bytes),
    complain: toStandardError,
    waitingBytesMax: WAITING_BYTES_MAX,
  });
  process.on('exit', () => output.flushSync());
  return output;
}

const writeNow: OutputParts['write'] = (bytes, done) => {
  let written: number;
  try {
    written = writeSync(1, bytes);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), 0);
    return;
  }
  done(null, written);
};

/** For what must be seen even where the log can't be written; without secrets, and never throws. */
export function toStandardError(text: string): void {
  try {
    writeSync(2, `brume: ${redactor(false)(text)}\n`);
  } catch {
    // There is nowhere left to say it.
  }
}
