import type { SqliteWorkerFault } from './sqlite-protocol.ts';

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
}
