import { Buffer, isUtf8 } from 'node:buffer';
import { FileTooLargeError, readBoundedFile, sizeText } from '../config/bounded-file.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Of a file that holds one value: a token, a URL. */
export const VALUE_FILE_BYTES_MAX = 64 * 1024;

/**
 * The text of a file, or of standard input where it is named `-`. What is larger is refused while it is
 * read, so that no pipe and no device is read for ever. Rejects with UsageError.
 */
export async function readText(file: string, terminal: Terminal, bytesMax: number): Promise<string> {
  if (file !== '-') return readTextFile(file, bytesMax);
  return decoded(await standardInput(terminal, bytesMax), 'Standard input');
}

/** As `readText`, of a file. */
function readTextFile(file: string, bytesMax: number): string {
  return decoded(bytesOf(file, bytesMax), file);
}

function bytesOf(file: string, bytesMax: number): Buffer {
  try {
    return readBoundedFile(file, bytesMax);
  } catch (error) {
    if (error instanceof FileTooLargeError) throw tooLarge(file, bytesMax);
    throw new UsageError(`${file} can't be read: ${messageOf(error)}`);
  }
}

async function standardInput(terminal: Terminal, bytesMax: number): Promise<Buffer> {
  const portions: Uint8Array[] = [];
  let size = 0;
  for await (const portion of terminal.input()) {
    portions.push(portion);
    size += portion.length;
    if (size > bytesMax) throw tooLarge('Standard input', bytesMax);
  }
  return Buffer.concat(portions);
}

function tooLarge(what: string, bytesMax: number): UsageError {
  return new UsageError(`${what} is larger than ${sizeText(bytesMax)}; it was not read to its end.`);
}

/** Node would read what is no UTF-8 as U+FFFD, and make one identifier of many. */
function decoded(bytes: Buffer, what: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${what} is not UTF-8, in line ${lineOfFault(bytes)}.`);
  return bytes.toString('utf8');
}

/** A line end is a byte of its own in UTF-8, never a part of a character. */
function lineOfFault(bytes: Buffer): number {
  for (let line = 1, at = 0; ; line += 1) {
    const end = bytes.indexOf('\n', at);
    if (end < 0 || !isUtf8(bytes.subarray(at, end))) return line;
    at = end + 1;
  }
}
