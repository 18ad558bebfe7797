import type { FileHandle } from 'node:fs/promises';
import { Slices } from '../cache/slices.ts';
import { applyChange, type Confirmation, type SnapshotContents } from '../cache/snapshot-change.ts';
import type { SnapshotTables } from '../cache/snapshot-tables.ts';
import { type FileLine, fileLines } from './file-lines.ts';
import { NO_LINE, openedLine } from './line-chain.ts';
import { FORMAT, type Head, type SnapshotLine, unpacked, unpackedChange } from './snapshot-lines.ts';

/** The file holds something else than was written. */
class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';
}

/** The file was written by a Brume that writes it differently. */
export class UnknownSnapshotFormat extends Error {
  override readonly name = 'UnknownSnapshotFormat';
}

export interface ReadSnapshot extends SnapshotContents {
  /** The last line was not written to its end, and is left out. */
  readonly isTorn: boolean;
}

/** Rejects with DamagedSnapshot, UnknownSnapshotFormat, or the error of the file system. */
export async function readHead(file: FileHandle): Promise<Head> {
  for await (const { bytes } of checkedLines(file)) {
    const opened = openedLine(NO_LINE, bytes);
    if (opened === undefined) break;
    return headOf(JSON.parse(opened.text));
  }
  throw new DamagedSnapshot('it does not begin as a snapshot does');
}

/** Reads the whole file into empty tables. Rejects as `readHead` does; then the tables hold a part of it. */
export async function readSnapshot(file: FileHandle, tables: SnapshotTables): Promise<ReadSnapshot> {
  const slices = new Slices();
  let head: Head | undefined;
  let confirmation: Confirmation | undefined;
  let hash = NO_LINE;
  let isTorn = false;
  let lineNumber = 0;
  for await (const fileLine of checkedLines(file)) {
    // Only the last line can have been torn by a crash.
    if (isTorn) throw new DamagedSnapshot(`line ${lineNumber} is not the one that was written`);
    lineNumber += 1;
    const opened = openedLine(hash, fileLine.bytes);
    if (opened === undefined) {
      if (!canBeTorn(hash, fileLine)) {
        throw new DamagedSnapshot(`line ${lineNumber} is not the one that was written`);
      }
      isTorn = true;
      continue;
    }
    hash = opened.hash;
    const line: unknown = JSON.parse(opened.text);
    if (head === undefined) head = headOf(line);
    else confirmation = (await apply(tables, line as SnapshotLine, slices)) ?? confirmation;
  }
  if (head === undefined || confirmation === undefined) {
    throw new DamagedSnapshot(lineNumber === 0 ? 'it is empty' : 'it ends too early');
  }
  const identifierSecret = Buffer.from(head.identifierSecret, 'hex');
  return { tables, identifierSecret, ...confirmation, isTorn };
}

/**
 * Whether a crash can have left a line like this: without its end, or with zeros where the disk had not
 * got to yet, of which no line has any. A single one may be a blank with a bit flipped.
 */
function canBeTorn(before: string, { bytes, isEnded }: FileLine): boolean {
  // All of it, and then something else than a line feed.
  if (!isEnded && openedLine(before, bytes.subarray(0, -1)) !== undefined) return false;
  return !isEnded || bytes.includes('\0\0');
}

/** Resolves with what the line says about how current everything before it is. */
async function apply(
  tables: SnapshotTables,
  line: SnapshotLine,
  slices: Slices,
): Promise<Confirmation | undefined> {
  if ('exceptions' in line) {
    for (const exception of line.exceptions) tables.exceptions.upsert(unpacked(exception));
    if (slices.step(line.exceptions.length)) await slices.pause();
  } else if ('projects' in line) {
    for (const project of line.projects) tables.replaceProject(project);
  } else if ('keys' in line) {
    for (const key of line.keys) tables.keys.put(key);
  } else if ('changes' in line) {
    for (const { change } of line.changes) applyChange(tables, unpackedChange(change));
    return line.changes.at(-1)?.to;
  } else if ('base' in line) return line.base;
  else if ('confirmed' in line) return line.confirmed;
  else throw new UnknownSnapshotFormat('it has lines that this version does not know');
  return undefined;
}

async function* checkedLines(file: FileHandle): AsyncGenerator<FileLine> {
  try {
    yield* fileLines(file);
  } catch (error) {
    if (error instanceof RangeError) throw new DamagedSnapshot(error.message);
    throw error;
  }
}

function headOf(line: unknown): Head {
  const head = typeof line === 'object' && line !== null && 'head' in line ? line.head : undefined;
  const format = typeof head === 'object' && head !== null && 'format' in head ? head.format : undefined;
  if (format === undefined) throw new DamagedSnapshot('it does not begin as a snapshot does');
  if (format !== FORMAT)
    throw new UnknownSnapshotFormat(`it has format ${format}, and this version reads ${FORMAT}`);
  return head as Head;
}
