import { Slices } from '../cache/slices.ts';
import type { Confirmation, SnapshotChange } from '../cache/snapshot-change.ts';
import { packedChange } from './snapshot-lines.ts';

const ROWS_A_PIECE = 500;

/** The JSON of one entry of a `changes` line in pieces, made without holding anybody up. */
export async function changeText(change: SnapshotChange, to: Confirmation): Promise<string[]> {
  const { exceptions, goneExceptions, keys, goneKeys, ...rest } = packedChange(change);
  const pieces = [`{"change":${JSON.stringify(rest).slice(0, -1)}`];
  const slices = new Slices();
  for (const [name, rows] of Object.entries({ exceptions, goneExceptions, keys, goneKeys })) {
    pieces.push(`,"${name}":[`);
    for (let from = 0; from < rows.length; from += ROWS_A_PIECE) {
      const piece = rows.slice(from, from + ROWS_A_PIECE);
      pieces.push(from === 0 ? '' : ',', JSON.stringify(piece).slice(1, -1));
      if (slices.step(piece.length)) await slices.pause();
    }
    pieces.push(']');
  }
  pieces.push(`},"to":${JSON.stringify(to)}}`);
  return pieces;
}

/** How much work and space a change is. */
export function rowsOf(change: SnapshotChange): number {
  const { projects, keys, goneKeys, exceptions, goneExceptions } = change;
  const namespaces = projects.reduce((sum, project) => sum + project.namespaces.length, 0);
  return namespaces + keys.length + goneKeys.length + exceptions.length + goneExceptions.length;
}
