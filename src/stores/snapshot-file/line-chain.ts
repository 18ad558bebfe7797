import { createHash } from 'node:crypto';

/** A blank, then SHA-256 in hexadecimal. */
const SEAL_BYTES = 65;

/** What stands for the line before the first. */
export const NO_LINE = '';

/**
 * A line of a chain with its line feed, from the pieces of its text. Each is sealed with a hash over
 * itself and the hash of the line before it: so a line that was changed, lost, doubled or moved shows,
 * and everything behind it. `hash` is what the next one needs.
 */
export function sealedLine(before: string, pieces: readonly string[]): { line: Buffer; hash: string } {
  const sum = createHash('sha256').update(before);
  for (const piece of pieces) sum.update(piece);
  const hash = sum.digest('hex');
  return { line: Buffer.from(`${pieces.join('')} ${hash}\n`), hash };
}

/** The text of a line without its line feed; undefined if it doesn't follow the one with this hash. */
export function openedLine(before: string, line: Buffer): { text: string; hash: string } | undefined {
  if (line.length < SEAL_BYTES) return undefined;
  const text = line.subarray(0, -SEAL_BYTES);
  const hash = createHash('sha256').update(before).update(text).digest('hex');
  return line.toString('latin1', text.length) === ` ${hash}`
    ? { text: text.toString('utf8'), hash }
    : undefined;
}
