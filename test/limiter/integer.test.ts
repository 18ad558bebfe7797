import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ceilDiv, floorDiv } from '../../src/limiter/integer.ts';

const anyInteger = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const anyDivisor = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('integer division is exact up to 2^53-1', () => {
  it('agrees with arbitrary-precision arithmetic', () => {
    const agrees = fc.property(
      anyInteger,
      fc.oneof(anyDivisor, fc.integer({ min: 1, max: 1000 })),
      (a, b) => {
        const [dividend, divisor] = [BigInt(a), BigInt(b)];
        assert.equal(BigInt(floorDiv(a, b)), dividend / divisor);
        assert.equal(BigInt(ceilDiv(a, b)), (dividend + divisor - 1n) / divisor);
      },
    );
    fc.assert(agrees, { numRuns: 5000 });
  });

  it('is right where a quotient of doubles is not', () => {
    assert.notEqual(Math.floor(9007199254740991 / 2 / 4503599627370496), 1, 'the trap itself');
    assert.equal(ceilDiv(9007199254740991, 9007199254740990), 2);
    assert.equal(floorDiv(9007199254740990, 9007199254740991), 0);
  });
});
