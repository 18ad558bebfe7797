import type { StoreLog } from '../../src/stores/store-log.ts';

/** A log that keeps its lines, `level: message`. */
export class RecordedLog implements StoreLog {
  readonly lines: string[] = [];

  info(_fields: object, message: string): void {
    this.lines.push(`info: ${message}`);
  }

  warn(_fields: object, message: string): void {
    this.lines.push(`warn: ${message}`);
  }

  error(_fields: object, message: string): void {
    this.lines.push(`error: ${message}`);
  }
}
