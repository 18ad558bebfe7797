import type { FileHandle } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readCountersAtOneMoment } from '../../stores/sql/dump/dump-counters.ts';
import type { DumpItem } from '../../stores/sql/dump/dump-item.ts';
import { dumpTables } from '../../stores/sql/dump/dump-tables.ts';
import { dumpedSchema } from '../../stores/sql/dump/dumped-schema.ts';
import { readAtOneMoment } from '../../stores/sql/dump/read-at-one-moment.ts';
import { version as brume } from '../../version.ts';
import { asOwner, type StoresOwner } from '../installed/as-owner.ts';
import { OperationError } from '../operation-error.ts';
import { operatorError } from '../operator-error.ts';
import type { StoresConfig } from '../stores-config.ts';
import { writeWholeFile } from '../whole-file.ts';
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupHeader,
  type BackupSummary,
  type RowCounts,
} from './backup-header.ts';
import { backupLines } from './backup-lines.ts';

/**
 * Writes a backup of the configured stores under a name, which a part of one never has. The stores are read as
 * their owner, the file is this process's.
 */
export async function backupToFile(
  config: StoresConfig,
  path: string,
  owner?: StoresOwner,
): Promise<BackupSummary> {
  let summary: BackupSummary | undefined;
  const fill = async (file: FileHandle) => {
    // Not the file's own stream: that would close it before it is on the disk.
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        file.writeFile(chunk).then(() => done(), done);
      },
    });
    summary = await asOwner(owner, () => backupTo(config, output));
  };
  await writeWholeFile(path, fill, { mode: 0o600 });
  if (summary === undefined) throw new Error('a backup without a summary');
  return summary;
}

/** As `backupToFile`, to a stream: whoever reads it has to check that its end is there. */
export async function backupTo(config: StoresConfig, output: NodeJS.WritableStream): Promise<BackupSummary> {
  try {
    return await readAtOneMoment(config, async (reader) => {
      const schema = await dumpedSchema(reader);
      if (schema.length === 0)
        throw new OperationError('There is nothing to back up: the store has no schema yet.');
      const counters = config.redisUrl === null ? 'embedded' : 'redis';
      const header = {
        format: BACKUP_FORMAT,
        version: BACKUP_VERSION,
        brume,
        createdAt: new Date().toISOString(),
        schema,
        stores: { configuration: reader.dialect, counters },
      } as const;
      const tables = dumpTables(reader);
      if (counters === 'redis') return write(output, { ...header, countersFormat: 0 }, [tables]);
      return readCountersAtOneMoment(config.stateDir, ({ formatVersion, items }) =>
        write(output, { ...header, countersFormat: formatVersion }, [tables, items]),
      );
    });
  } catch (error) {
    throw operatorError(error);
  }
}

async function write(
  output: NodeJS.WritableStream,
  header: BackupHeader,
  parts: readonly AsyncIterable<DumpItem>[],
): Promise<BackupSummary> {
  let rows: RowCounts = {};
  const lines = backupLines(header, parts, (counts) => {
    rows = counts;
  });
  await pipeline(
    Readable.from(lines, { objectMode: true, highWaterMark: 2 }),
    createGzip({ level: 6 }),
    output,
  );
  return { header, rows };
}
