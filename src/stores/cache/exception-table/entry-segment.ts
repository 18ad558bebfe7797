import {
  type EntryFields,
  endOfRecord,
  hasKey,
  keyOfRecord,
  kindOfRecord,
  RECORD_BYTES_MAX_BESIDES_KEY,
  readRecord,
  writeRecord,
} from './entry-record.ts';

/** The hash of a part of the segment's own bytes. */
export type Hash = (bytes: Uint8Array, start: number, length: number) => number;

/** More than that, and the segment is divided: what one change costs stays small at any size. */
export const ENTRIES_PER_SEGMENT_MAX = 2560;
/** Of slots; of them three quarters may be taken, by entries and by what is left of removed ones. */
const SLOTS_MIN = 8;
const SLOTS_MAX = 4096;
/** A slot holds 11 bits of the hash above 21 bits of the place in the arena. */
const PLACE_BITS = 21;
const PLACE_MASK = 2 ** PLACE_BITS - 1;
const TAG_SHIFT = 12;
const TAG_MASK = 0x7ff;
const EMPTY = 0;
const REMOVED = 1;
/** Places begin here, so that no slot with an entry looks empty or removed. */
const ARENA_START = 2;
/** Less than that isn't worth tidying up. */
const DEAD_BYTES_MIN = 256;
/** Two typed arrays with their buffers, and the object itself. */
const OVERHEAD_BYTES = 480;

/**
 * A small hash table with open addressing: slots that point into one array of bytes, in which
 * entries stand one behind another. Several entries may have one key, if their kinds differ.
 */
export class EntrySegment {
  readonly #hash: Hash;
  #slots = new Uint32Array(SLOTS_MIN);
  #arena = new Uint8Array(64);
  #end = ARENA_START;
  #deadBytes = 0;
  #removedSlots = 0;
  #count = 0;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#slots.byteLength + this.#arena.byteLength + OVERHEAD_BYTES;
  }

  /** The first kind that is in force; undefined if none is. */
  find(hash: number, key: Uint8Array, keyLength: number, nowMs: number): EntryFields | undefined {
    const slots = this.#slots;
    const arena = this.#arena;
    const mask = slots.length - 1;
    const tag = (hash >>> TAG_SHIFT) & TAG_MASK;
    let best: EntryFields | undefined;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = slots[at] ?? EMPTY;
      if (slot === EMPTY) return best;
      if (slot >>> PLACE_BITS !== tag || slot === REMOVED) continue;
      const place = slot & PLACE_MASK;
      if (!hasKey(arena, place, key, keyLength)) continue;
      const entry = readRecord(arena, place);
      const isInForce = entry.expiresAtMs === null || nowMs < entry.expiresAtMs;
      if (isInForce && (best === undefined || entry.kind < best.kind)) best = entry;
    }
  }

  /** Puts an entry in the place of one with the same key and kind; what it replaced. */
  set(hash: number, key: Uint8Array, keyLength: number, fields: EntryFields): EntryFields | undefined {
    this.#makeRoom(keyLength + RECORD_BYTES_MAX_BESIDES_KEY);
    const place = this.#end;
    this.#end = writeRecord(this.#arena, place, key, keyLength, fields);
    const slot = (((hash >>> TAG_SHIFT) & TAG_MASK) << PLACE_BITS) | place;
    const at = this.#slotOf(hash, key, keyLength, fields.kind);
    if (at === -1) {
      this.#take(hash, slot);
      this.#count++;
      return undefined;
    }
    const replaced = this.#bury(at);
    this.#slots[at] = slot;
    return replaced;
  }

  /** What was removed. */
  remove(hash: number, key: Uint8Array, keyLength: number, kind: number): EntryFields | undefined {
    const at = this.#slotOf(hash, key, keyLength, kind);
    if (at === -1) return undefined;
    const removed = this.#bury(at);
    this.#slots[at] = REMOVED;
    this.#removedSlots++;
    this.#count--;
    if (this.#isUntidy()) this.#rebuild();
    return removed;
  }

  /** The keys' bytes are copies. */
  entries(): { readonly key: Uint8Array; readonly fields: EntryFields }[] {
    return this.#places().map((place) => {
      const { start, end } = keyOfRecord(this.#arena, place);
      return { key: this.#arena.slice(start, end), fields: readRecord(this.#arena, place) };
    });
  }

  /** Divides the entries by a bit of their hashes. */
  divide(bit: number): readonly [EntrySegment, EntrySegment] {
    const halves = [new EntrySegment(this.#hash), new EntrySegment(this.#hash)] as const;
    const places: [number[], number[]] = [[], []];
    for (const place of this.#places()) places[(this.#hashAt(place) >>> bit) & 1 ? 1 : 0].push(place);
    halves[0].#fill(this.#arena, places[0]);
    halves[1].#fill(this.#arena, places[1]);
    return halves;
  }

  #makeRoom(recordBytesMax: number): void {
    const isCrowded = (this.#count + this.#removedSlots + 1) * 4 > this.#slots.length * 3;
    if (isCrowded || this.#isUntidy()) this.#rebuild();
    const needed = this.#end + recordBytesMax;
    if (needed <= this.#arena.length) return;
    if (needed > PLACE_MASK) throw new RangeError('a segment of exceptions is full');
    const larger = new Uint8Array(Math.ceil(needed * 1.3));
    larger.set(this.#arena.subarray(0, this.#end));
    this.#arena = larger;
  }

  /** A third of the bytes are of entries that are gone. */
  #isUntidy(): boolean {
    return this.#deadBytes >= DEAD_BYTES_MIN && this.#deadBytes * 3 > this.#end;
  }

  #rebuild(): void {
    this.#fill(this.#arena, this.#places());
  }

  /** Takes these entries, and no others, out of an arena. */
  #fill(arena: Uint8Array, places: readonly number[]): void {
    const ends = places.map((place) => endOfRecord(arena, place));
    const bytes = ends.reduce((sum, end, index) => sum + end - (places[index] ?? 0), ARENA_START);
    this.#arena = new Uint8Array(Math.ceil(bytes * 1.2) + 32);
    this.#slots = new Uint32Array(slotsFor(places.length + 1));
    this.#end = ARENA_START;
    this.#deadBytes = this.#removedSlots = 0;
    this.#count = places.length;
    for (const [index, place] of places.entries()) {
      const to = this.#end;
      this.#arena.set(arena.subarray(place, ends[index]), to);
      this.#end += (ends[index] ?? 0) - place;
      const hash = this.#hashAt(to);
      this.#take(hash, (((hash >>> TAG_SHIFT) & TAG_MASK) << PLACE_BITS) | to);
    }
  }

  #hashAt(place: number): number {
    const { start, end } = keyOfRecord(this.#arena, place);
    return this.#hash(this.#arena, start, end - start);
  }

  /** Puts a slot where there is none of its key and kind. */
  #take(hash: number, slot: number): void {
    const mask = this.#slots.length - 1;
    let at = hash & mask;
    while ((this.#slots[at] ?? EMPTY) > REMOVED) at = (at + 1) & mask;
    if (this.#slots[at] === REMOVED) this.#removedSlots--;
    this.#slots[at] = slot;
  }

  #slotOf(hash: number, key: Uint8Array, keyLength: number, kind: number): number {
    const mask = this.#slots.length - 1;
    const tag = (hash >>> TAG_SHIFT) & TAG_MASK;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = this.#slots[at] ?? EMPTY;
      if (slot === EMPTY) return -1;
      if (slot === REMOVED || slot >>> PLACE_BITS !== tag) continue;
      const place = slot & PLACE_MASK;
      if (kindOfRecord(this.#arena, place) === kind && hasKey(this.#arena, place, key, keyLength)) return at;
    }
  }

  /** Counts the bytes of a slot's entry as dead; what it was. */
  #bury(at: number): EntryFields {
    const place = (this.#slots[at] ?? 0) & PLACE_MASK;
    this.#deadBytes += endOfRecord(this.#arena, place) - place;
    return readRecord(this.#arena, place);
  }

  #places(): number[] {
    const places: number[] = [];
    for (const slot of this.#slots) if (slot > REMOVED) places.push(slot & PLACE_MASK);
    return places;
  }
}

function slotsFor(count: number): number {
  let slots = SLOTS_MIN;
  while (slots < count * 2 && slots < SLOTS_MAX) slots *= 2;
  return slots;
}
