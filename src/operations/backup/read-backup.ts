import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../errors/message-of.ts';
import type { Column, DumpedRow, DumpItem } from '../../stores/sql/dump/dump-item.ts';
import { OperationError } from '../operation-error.ts';
import { BACKUP_FORMAT, BACKUP_VERSION, type BackupHeader, type RowCounts } from './backup-header.ts';
import { parsedLine, readColumns, readEnd, readHeader, readRow } from './line-readers.ts';

const ROWS_AT_ONCE = 500;
/** And so many characters: large rows come fewer at a time. */
const CHARACTERS_AT_ONCE = 1 << 22;
const LINE_CHARACTERS_MAX = 1 << 28;

/** A backup that is being read. */
export interface OpenBackup {
  readonly header: BackupHeader;
  /**
   * To be drawn to the end: what comes may be damaged until then, and it rejects with OperationError if
   * it is.
   */
  readonly items: AsyncIterable<DumpItem>;
  /** Complete once the items are drawn. */
  readonly rows: RowCounts;
  close(): void;
}

/** Rejects with OperationError where it is no backup, or one of a newer format. */
export async function openBackup(input: Readable, name: string): Promise<OpenBackup> {
  const gunzip = createGunzip();
  // Its reader is told: `pipe` alone would leave it waiting.
  input.once('error', (error) => gunzip.destroy(error));
  input.pipe(gunzip);
  const hash = createHash('sha256');
  const lines = linesOf(gunzip);
  const close = () => {
    input.destroy();
    gunzip.destroy();
  };
  try {
    const first = await lines.next();
    const header = first.done ? undefined : readHeader(parsedLine(first.value));
    if (header === undefined) throw new Damaged('it does not begin as a backup of Brume does');
    if (header.version > BACKUP_VERSION) {
      throw new OperationError(
        `${name} is a backup in format ${header.version}, made by Brume ${header.brume}: this one knows the formats up to ` +
          `${BACKUP_VERSION}. Use that Brume, or a newer one.`,
      );
    }
    hash.update(`${first.value}\n`);
    const rows: Record<string, number> = {};
    const items = named(name, itemsOf(lines, hash, rows));
    return { header, items, rows, close };
  } catch (error) {
    close();
    throw faultOf(name, error);
  }
}

/** What was read is no backup, or not a whole one. */
class Damaged extends Error {}

async function* named(name: string, items: AsyncIterable<DumpItem>): AsyncGenerator<DumpItem> {
  try {
    yield* items;
  } catch (error) {
    throw faultOf(name, error);
  }
}

function faultOf(name: string, error: unknown): unknown {
  if (error instanceof OperationError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isDamaged = error instanceof Damaged || error instanceof SyntaxError || code.startsWith('Z_');
  if (isDamaged) {
    const reason = messageOf(error);
    return new OperationError(
      `${name} is no ${BACKUP_FORMAT}, or is damaged: ${reason}. Use another backup.`,
      {
        cause: error,
      },
    );
  }
  if (error instanceof Error && 'syscall' in error)
    return new OperationError(`${name} can't be read: ${error.message}`, { cause: error });
  return error;
}

async function* itemsOf(
  lines: AsyncGenerator<string>,
  hash: ReturnType<typeof createHash>,
  counts: Record<string, number>,
): AsyncGenerator<DumpItem> {
  let columns: readonly Column[] | undefined;
  let table = '';
  let rows: DumpedRow[] = [];
  let characters = 0;
  for await (const line of lines) {
    const value = parsedLine(line);
    const end = readEnd(value);
    if (end !== undefined) {
      if (rows.length > 0) yield { kind: 'rows', rows };
      assertWhole(end, counts, hash.digest('hex'));
      if (!(await lines.next()).done) throw new Damaged('it goes on behind its end');
      return;
    }
    hash.update(`${line}\n`);
    const header = readColumns(value);
    if (header === undefined) {
      const row = columns === undefined ? undefined : readRow(value, columns);
      if (row === undefined) throw new Damaged(`a row of ${table || 'no table'} is none`);
      rows.push(row);
      counts[table] = (counts[table] ?? 0) + 1;
      characters += line.length;
      if (rows.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    }
    if (rows.length > 0) yield { kind: 'rows', rows };
    [rows, characters] = [[], 0];
    if (header === undefined) continue;
    if (header.table in counts) throw new Damaged(`table ${header.table} is in it twice`);
    [table, columns] = [header.table, header.columns];
    counts[table] = 0;
    yield { kind: 'table', table, columns };
  }
  throw new Damaged('its end is missing');
}

function assertWhole(end: { rows: RowCounts; sha256: string }, counts: RowCounts, sha256: string): void {
  if (end.sha256 !== sha256) throw new Damaged('its checksum does not fit');
  const tables = new Set([...Object.keys(counts), ...Object.keys(end.rows)]);
  for (const table of tables) {
    if (end.rows[table] !== counts[table]) throw new Damaged(`rows of ${table} are missing`);
  }
}

async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of input) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw new Damaged('it holds what is no UTF-8');
    }
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      yield rest + text.slice(from, end);
      rest = '';
      from = end + 1;
    }
    rest += text.slice(from);
    if (rest.length > LINE_CHARACTERS_MAX) throw new Damaged('a line does not end');
  }
  if (rest !== '') throw new Damaged('its last line does not end');
}
