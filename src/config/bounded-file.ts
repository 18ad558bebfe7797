import { closeSync, openSync, readSync } from 'node:fs';

const PORTION_BYTES = 64 * 1024;

/** A file holds more than whoever reads it takes. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
  /** As the file system would say it. */
  readonly code = 'EFBIG';

  constructor(bytesMax: number) {
    super(`it is larger than ${sizeText(bytesMax)}`);
  }
}

/**
 * All of a file, at most `bytesMax`: what a pipe or a device has no size to tell of is bounded while it is
 * read. Throws FileTooLargeError, and what the file system says.
 */
export function readBoundedFile(path: string, bytesMax: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const portions: Buffer[] = [];
    let size = 0;
    for (;;) {
      const portion = Buffer.allocUnsafe(Math.min(PORTION_BYTES + size, bytesMax + 1 - size));
      const length = readSync(file, portion);
      if (length === 0) return Buffer.concat(portions);
      portions.push(portion.subarray(0, length));
      size += length;
      if (size > bytesMax) throw new FileTooLargeError(bytesMax);
    }
  } finally {
    closeSync(file);
  }
}

/** `16 MiB`, `64 KiB`. */
export function sizeText(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}
