import type { Readable } from 'node:stream';
import type { BackupSummary } from './backup-header.ts';
import { openBackup } from './read-backup.ts';

/** Reads a backup to its end and writes nothing. Rejects with OperationError where it is not whole. */
export async function verifyBackup(input: Readable, name: string): Promise<BackupSummary> {
  const backup = await openBackup(input, name);
  try {
    for await (const _ of backup.items);
    return { header: backup.header, rows: backup.rows };
  } finally {
    backup.close();
  }
}
