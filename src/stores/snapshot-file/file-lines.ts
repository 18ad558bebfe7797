import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 1 << 20;
/** No line that was ever written is as long; without a bound a damaged file would fill the memory. */
const LINE_BYTES_MAX = 64 << 20;
const LINE_FEED = 0x0a;

export interface FileLine {
  /** Without the line feed. */
  readonly bytes: Buffer;
  /** False of a last line that has no line feed. */
  readonly isEnded: boolean;
}

/** The lines of a file. Rejects with a RangeError if a line is too long. */
export async function* fileLines(file: FileHandle): AsyncGenerator<FileLine> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let chunk = buffer.subarray(0, bytesRead);
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED)) {
      yield { bytes: Buffer.concat([...rest, chunk.subarray(0, end)]), isEnded: true };
      [rest, restBytes] = [[], 0];
      chunk = chunk.subarray(end + 1);
    }
    rest.push(chunk);
    restBytes += chunk.length;
    if (restBytes > LINE_BYTES_MAX) throw new RangeError('a line does not end');
  }
  if (restBytes > 0) yield { bytes: Buffer.concat(rest), isEnded: false };
}
