import { randomFillSync } from 'node:crypto';

export interface HashKey {
  readonly low: number;
  readonly high: number;
}

/** Another one in each process: who chooses identifiers can't choose where they land. */
export function newHashKey(): HashKey {
  const [low = 0, high = 0] = randomFillSync(new Uint32Array(2));
  return { low, high };
}

/**
 * HalfSipHash-1-3 of the first `length` bytes from `start` on, 32 bits: the keyed hash for 32-bit
 * words that goes with SipHash (Aumasson and Bernstein, 2012), with the rounds that Linux takes for
 * its hash tables (hsiphash).
 */
export function keyedHash({ low, high }: HashKey, bytes: Uint8Array, start: number, length: number): number {
  let v0 = low | 0;
  let v1 = high | 0;
  let v2 = 0x6c796765 ^ low;
  let v3 = 0x74656462 ^ high;
  const end = start + length;
  let at = start;
  // One round for each word and for the rest, which carries the length; three at the end.
  for (let left = (length >> 2) + 4; left > 0; left--) {
    let word = 0;
    if (left > 4) {
      word =
        (bytes[at] ?? 0) |
        ((bytes[at + 1] ?? 0) << 8) |
        ((bytes[at + 2] ?? 0) << 16) |
        ((bytes[at + 3] ?? 0) << 24);
      at += 4;
    } else if (left === 4) {
      word = length << 24;
      for (let shift = 0; at < end; shift += 8) word |= (bytes[at++] ?? 0) << shift;
    } else if (left === 3) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}
