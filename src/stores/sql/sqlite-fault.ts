import type { SqliteWorkerFault } from './sqlite-protocol.ts';

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;
const SQLITE_IOERR_WRITE = 778;

/** Where it is not the statement that is wrong. */
const NOT_WRITABLE: readonly number[] = [
  SQLITE_BUSY,
  SQLITE_READONLY,
  SQLITE_IOERR,
  SQLITE_CORRUPT,
  SQLITE_FULL,
  SQLITE_CANTOPEN,
  SQLITE_NOTADB,
];
/** Said of a commit, these mean that there was none. After a failed sync nobody knows what a crash leaves. */
const REFUSALS: readonly number[] = [SQLITE_BUSY, SQLITE_READONLY, SQLITE_FULL, SQLITE_CONSTRAINT];

/** An error that SQLite raised in its thread. */
export class SqliteFault extends Error {
  override readonly name = 'SqliteFault';
  readonly errcode: number;
  readonly isLocked: boolean;
  readonly isUnsafeInteger: boolean;

  constructor(fault: SqliteWorkerFault) {
    super(fault.message);
    this.errcode = fault.errcode;
    this.isLocked = fault.isLocked;
    this.isUnsafeInteger = fault.isUnsafeInteger;
  }

  /** The file is damaged, or none of SQLite's. */
  get isDamage(): boolean {
    return this.#code === SQLITE_CORRUPT || this.#code === SQLITE_NOTADB;
  }

  /** The file can't be written now. */
  get isNotWritable(): boolean {
    return NOT_WRITABLE.includes(this.#code);
  }

  /** SQLite refused, and has changed nothing. */
  get isRefusal(): boolean {
    return REFUSALS.includes(this.#code) || this.errcode === SQLITE_IOERR_WRITE;
  }

  /** Extended codes have the primary one in their last byte. */
  get #code(): number {
    return this.errcode & 0xff;
  }
}
