import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Slices } from '../cache/slices.ts';
import { NO_LINE, sealedLine } from './line-chain.ts';
import type { SnapshotLine } from './snapshot-lines.ts';

/** Something came up that makes the base worthless before it is whole. */
export class BaseAbandoned extends Error {
  override readonly name = 'BaseAbandoned';
}

export interface BaseParts {
  /** Drawn one at a time, with pauses between them. */
  readonly lines: Iterable<SnapshotLine>;
  /** Asked before each line. */
  readonly isWanted: () => boolean;
  /** The text of a line, in pieces, that came up while the base was written; asked until there is none. */
  readonly nextLate: () => Promise<readonly string[] | undefined>;
}

/** A file of ours that is open at its end, behind a line with this hash. */
interface OwnFile {
  readonly handle: FileHandle;
  readonly inode: number;
  readonly baseBytes: number;
  bytes: number;
  hash: string;
}

/**
 * A file that one process writes: a base, which takes the place of the file before it as a whole, and
 * lines appended to it, each of which is on the disk when its call resolves. Private to its user.
 */
export class WrittenFile {
  readonly #path: string;
  #own: OwnFile | undefined;
  #isReplaced = false;

  constructor(path: string) {
    this.#path = path;
  }

  get bytes(): number {
    return this.#own?.bytes ?? 0;
  }

  get baseBytes(): number {
    return this.#own?.baseBytes ?? 0;
  }

  /** Whether there is a base of ours that can be appended to. */
  get hasBase(): boolean {
    return this.#own !== undefined;
  }

  /**
   * Epoch milliseconds of the last change of a file that another process put in the place of ours;
   * undefined if there is none.
   */
  async changedByAnotherAtMs(): Promise<number | undefined> {
    if (this.#own === undefined && !this.#isReplaced) return undefined;
    const found = await stat(this.#path).catch(() => undefined);
    if (found !== undefined && found.ino === this.#own?.inode) return undefined;
    this.#isReplaced = true;
    await this.close();
    return found?.mtimeMs;
  }

  /** Rejects with BaseAbandoned, or the error of the file system; then the file is as it was before. */
  async writeBase(parts: BaseParts): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.${process.pid}.new`;
    // Of a process with the same number that was killed.
    await unlink(temporary).catch(() => undefined);
    const handle = await open(temporary, 'wx', 0o600);
    try {
      const written = await writtenBase(handle, parts);
      await handle.sync();
      await rename(temporary, this.#path);
      await this.close();
      this.#own = { handle, ...written };
      this.#isReplaced = false;
    } catch (error) {
      await handle.close().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    await syncDirectory(dirname(this.#path));
  }

  /** If it rejects, nothing was appended; `hasBase` says whether it can be tried again. */
  async append(pieces: readonly string[]): Promise<void> {
    const own = this.#own;
    if (own === undefined) throw new Error('there is no base to append to');
    const { line, hash } = sealedLine(own.hash, pieces);
    try {
      await own.handle.write(line, 0, line.length, own.bytes).then(({ bytesWritten }) => {
        if (bytesWritten < line.length) throw new Error('the disk took a part of a line only');
      });
    } catch (error) {
      // What can't be cut off is half a line, which nothing may follow.
      await own.handle.truncate(own.bytes).catch(() => this.close());
      throw error;
    }
    try {
      await own.handle.datasync();
    } catch (error) {
      // What of the file reached the disk nobody knows from here on.
      await this.close();
      throw error;
    }
    own.bytes += line.length;
    own.hash = hash;
  }

  /** The file stays; another base is needed before anything is appended again. */
  async close(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await own?.handle.close().catch(() => undefined);
  }
}

async function writtenBase(
  handle: FileHandle,
  { lines, isWanted, nextLate }: BaseParts,
): Promise<Omit<OwnFile, 'handle'>> {
  const slices = new Slices();
  let [bytes, hash] = [0, NO_LINE];
  const write = async (pieces: readonly string[]): Promise<void> => {
    const sealed = sealedLine(hash, pieces);
    await handle.writeFile(sealed.line);
    bytes += sealed.line.length;
    hash = sealed.hash;
  };
  for (const line of lines) {
    if (!isWanted()) throw new BaseAbandoned();
    await write([JSON.stringify(line)]);
    if (slices.step()) await slices.pause();
  }
  const baseBytes = bytes;
  for (let late = await nextLate(); late !== undefined; late = await nextLate()) await write(late);
  const { ino: inode } = await handle.stat();
  return { inode, baseBytes, bytes, hash };
}

/** So that the new name outlives a power cut. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
