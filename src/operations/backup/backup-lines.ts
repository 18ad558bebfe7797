import { createHash } from 'node:crypto';
import type { DumpItem } from '../../stores/sql/dump/dump-item.ts';
import type { BackupEnd, BackupHeader, RowCounts } from './backup-header.ts';

/** Gathered before they are handed on: larger pieces compress faster. */
const PIECE_CHARACTERS = 1 << 16;

/** The text of a backup, in pieces of whole lines. `onEnd` is told the counts once all is drawn. */
export async function* backupLines(
  header: BackupHeader,
  parts: readonly AsyncIterable<DumpItem>[],
  onEnd: (rows: RowCounts) => void,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  let table = '';
  let piece = `${JSON.stringify(header)}\n`;
  for (const items of parts) {
    for await (const item of items) {
      if (item.kind === 'table') {
        table = item.table;
        counts[table] = 0;
        piece += `${JSON.stringify({ table, columns: item.columns.map(({ name, type }) => [name, type]) })}\n`;
        continue;
      }
      counts[table] = (counts[table] ?? 0) + item.rows.length;
      for (const row of item.rows) piece += `${JSON.stringify(row)}\n`;
      if (piece.length < PIECE_CHARACTERS) continue;
      hash.update(piece);
      yield piece;
      piece = '';
    }
  }
  hash.update(piece);
  const end: BackupEnd = { end: true, rows: counts, sha256: hash.digest('hex') };
  yield `${piece}${JSON.stringify(end)}\n`;
  onEnd(counts);
}
