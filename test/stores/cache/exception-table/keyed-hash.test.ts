import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyedHash, newHashKey } from '../../../../src/stores/cache/exception-table/keyed-hash.ts';

const BYTES = Uint8Array.from({ length: 64 }, (_, index) => index);

describe('the keyed hash', () => {
  it('is HalfSipHash-1-3, by the vectors of the Linux kernel for words of 32 bits', () => {
    const vectors = [
      0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6,
      0x577999b1, 0xc839caed, 0xe4fa32cf, 0x959246ee,
    ];
    const key = { low: 0x03020100, high: 0x07060504 };
    for (const [length, hash] of vectors.entries()) assert.equal(keyedHash(key, BYTES, 0, length), hash);
  });

  it('is of the bytes from where it is told to where it is told', () => {
    const key = newHashKey();
    const shifted = Uint8Array.from([9, 9, 9, ...BYTES]);
    for (let length = 0; length < 20; length++) {
      assert.equal(keyedHash(key, shifted, 3, length), keyedHash(key, BYTES, 0, length));
    }
  });

  it('has another key in each table', () => {
    assert.notDeepEqual(newHashKey(), newHashKey());
  });
});
