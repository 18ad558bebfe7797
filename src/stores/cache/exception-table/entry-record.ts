/**
 * One entry as bytes: flags, length and bytes of its key, when it was made, then its end and its
 * limits if it has them. Numbers are written seven bits a byte, the lowest first.
 */
export interface EntryFields {
  /** Index in EXCEPTION_KINDS. */
  readonly kind: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** Of LimitsTexts; 0: none. */
  readonly limitsId: number;
}

export interface MatchEntry {
  readonly match: string;
  readonly fields: EntryFields;
}

const KIND_BITS = 0b11;
const HAS_END = 0b100;
const HAS_LIMITS = 0b1000;
/** Flags, length of the key, two times and the id of the limits. */
export const RECORD_BYTES_MAX_BESIDES_KEY = 1 + 2 + 8 + 8 + 5;

/** Where the reading or writing of a record has got to. */
let at = 0;

/** Writes a record at `start`; where it ends. */
export function writeRecord(
  arena: Uint8Array,
  start: number,
  key: Uint8Array,
  keyLength: number,
  { kind, createdAtMs, expiresAtMs, limitsId }: EntryFields,
): number {
  arena[start] = kind | (expiresAtMs === null ? 0 : HAS_END) | (limitsId === 0 ? 0 : HAS_LIMITS);
  at = start + 1;
  writeNumber(arena, keyLength);
  for (let index = 0; index < keyLength; index++) arena[at++] = key[index] ?? 0;
  writeNumber(arena, createdAtMs);
  if (expiresAtMs !== null) writeNumber(arena, expiresAtMs);
  if (limitsId !== 0) writeNumber(arena, limitsId);
  return at;
}

/** Whether the record at `start` has this key. */
export function hasKey(arena: Uint8Array, start: number, key: Uint8Array, keyLength: number): boolean {
  at = start + 1;
  if (readNumber(arena) !== keyLength) return false;
  for (let index = 0; index < keyLength; index++) if (arena[at++] !== key[index]) return false;
  return true;
}

export function kindOfRecord(arena: Uint8Array, start: number): number {
  return (arena[start] ?? 0) & KIND_BITS;
}

/** Where the key of a record begins and ends. */
export function keyOfRecord(arena: Uint8Array, start: number): { start: number; end: number } {
  at = start + 1;
  const length = readNumber(arena);
  return { start: at, end: at + length };
}

export function readRecord(arena: Uint8Array, start: number): EntryFields {
  const flags = arena[start] ?? 0;
  at = start + 1;
  const keyLength = readNumber(arena);
  at += keyLength;
  const createdAtMs = readNumber(arena);
  const expiresAtMs = (flags & HAS_END) === 0 ? null : readNumber(arena);
  const limitsId = (flags & HAS_LIMITS) === 0 ? 0 : readNumber(arena);
  return { kind: flags & KIND_BITS, createdAtMs, expiresAtMs, limitsId };
}

/** Where the record at `start` ends. */
export function endOfRecord(arena: Uint8Array, start: number): number {
  readRecord(arena, start);
  return at;
}

function writeNumber(arena: Uint8Array, value: number): void {
  let rest = value;
  while (rest > 0x7f) {
    arena[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  arena[at++] = rest;
}

function readNumber(arena: Uint8Array): number {
  let byte = arena[at++] ?? 0;
  let value = byte & 0x7f;
  for (let factor = 0x80; byte > 0x7f; factor *= 0x80) {
    byte = arena[at++] ?? 0;
    value += (byte & 0x7f) * factor;
  }
  return value;
}
