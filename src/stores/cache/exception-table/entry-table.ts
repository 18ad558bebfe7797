import type { EntryFields } from './entry-record.ts';
import { ENTRIES_PER_SEGMENT_MAX, EntrySegment, type Hash } from './entry-segment.ts';
import { type HashKey, keyedHash } from './keyed-hash.ts';

export interface TableEntry {
  readonly key: Uint8Array;
  readonly fields: EntryFields;
}

/** A segment, and how many of a hash's first bits say that it is the one. */
interface Part {
  readonly bits: number;
  readonly segment: EntrySegment;
}

/** More parts than any memory has room for. */
const BITS_MAX = 24;
const HASH_BITS = 32;

/**
 * Entries by key (bytes) and kind. Extendible hashing (Fagin and others, 1979): segments of bounded
 * size, found by the first bits of a hash, and divided when they are full. So no change ever has to
 * move more than one segment, and what removed entries leave behind is tidied up a segment at a time.
 */
export class EntryTable {
  readonly #hash: Hash;
  /** As many bits of the hash as this has; a part with fewer bits stands here several times. */
  #directory: Part[];
  #bits = 0;
  #count = 0;

  constructor(key: HashKey) {
    this.#hash = (bytes, start, length) => keyedHash(key, bytes, start, length);
    this.#directory = [{ bits: 0, segment: new EntrySegment(this.#hash) }];
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    let bytes = this.#directory.length * 8;
    for (const { segment } of this.#parts()) bytes += segment.bytes;
    return bytes;
  }

  /** The first kind with this key that is in force. */
  find(key: Uint8Array, keyLength: number, nowMs: number): EntryFields | undefined {
    const hash = this.#hash(key, 0, keyLength);
    return this.#partOf(hash).segment.find(hash, key, keyLength, nowMs);
  }

  /** What it replaced. */
  set(key: Uint8Array, keyLength: number, fields: EntryFields): EntryFields | undefined {
    const hash = this.#hash(key, 0, keyLength);
    let part = this.#partOf(hash);
    while (part.segment.count >= ENTRIES_PER_SEGMENT_MAX) {
      this.#divide(part, hash);
      part = this.#partOf(hash);
    }
    const replaced = part.segment.set(hash, key, keyLength, fields);
    if (replaced === undefined) this.#count++;
    return replaced;
  }

  /** What was removed. */
  remove(key: Uint8Array, keyLength: number, kind: number): EntryFields | undefined {
    const hash = this.#hash(key, 0, keyLength);
    const removed = this.#partOf(hash).segment.remove(hash, key, keyLength, kind);
    if (removed !== undefined) this.#count--;
    return removed;
  }

  /** A segment at a time. Goes on while the table changes: what is there all the time comes once. */
  *batches(): Generator<readonly TableEntry[], void, undefined> {
    for (const { segment } of this.#parts()) yield segment.entries();
  }

  /**
   * In the order of the hashes that they hold, which stays when segments are divided: the next one
   * is looked up by where the last one ended when it was given out.
   */
  *#parts(): Generator<Part, void, undefined> {
    for (let from = 0; from < 2 ** HASH_BITS; ) {
      const part = this.#partOf(from);
      from += 2 ** (HASH_BITS - part.bits);
      yield part;
    }
  }

  #partOf(hash: number): Part {
    // A shift by 32 would be one by 0.
    const part = this.#directory[this.#bits === 0 ? 0 : hash >>> (HASH_BITS - this.#bits)];
    if (part === undefined) throw new RangeError('the directory of exceptions has a gap');
    return part;
  }

  #divide(part: Part, hash: number): void {
    if (part.bits === BITS_MAX) throw new RangeError('the table of exceptions is full');
    if (part.bits === this.#bits) {
      this.#directory = this.#directory.flatMap((each) => [each, each]);
      this.#bits++;
    }
    const bits = part.bits + 1;
    const halves = part.segment.divide(HASH_BITS - bits);
    const width = 2 ** (this.#bits - bits);
    const start =
      this.#bits === 0 ? 0 : Math.floor((hash >>> (HASH_BITS - this.#bits)) / (2 * width)) * 2 * width;
    for (const [index, segment] of halves.entries()) {
      this.#directory.fill({ bits, segment }, start + index * width, start + (index + 1) * width);
    }
  }
}
