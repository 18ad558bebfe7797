import type { DumpedMigration } from '../../stores/sql/dump/dumped-schema.ts';

export const BACKUP_FORMAT = 'brume-backup';
/** Raised when a backup can no longer be read by an older Brume. */
export const BACKUP_VERSION = 1;

/** The first line of a backup. */
export interface BackupHeader {
  readonly format: typeof BACKUP_FORMAT;
  readonly version: number;
  /** The version of the Brume that made it. */
  readonly brume: string;
  readonly createdAt: string;
  readonly schema: readonly DumpedMigration[];
  readonly stores: {
    readonly configuration: 'postgres' | 'sqlite';
    readonly counters: 'embedded' | 'redis';
  };
  /** Of the embedded counters' entries; 0: there are none in the backup. */
  readonly countersFormat: number;
}

/** The last line: the number of rows of each table, and the SHA-256 of all bytes before this line. */
export interface BackupEnd {
  readonly end: true;
  readonly rows: Readonly<Record<string, number>>;
  readonly sha256: string;
}

/** How many rows of each table. */
export type RowCounts = Readonly<Record<string, number>>;

/** What is told of a backup that was made, checked or restored. */
export interface BackupSummary {
  readonly header: BackupHeader;
  readonly rows: RowCounts;
}
