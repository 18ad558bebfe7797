import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identifierKeyer } from '../../src/limiter/identifier-key.ts';

const key = identifierKeyer(new Uint8Array(32).fill(7));

describe('the name of an identifier’s state', () => {
  it('is 22 characters of base64url, and the same each time', () => {
    assert.match(key('prj_a', 'ns_b', 'Łódź 🙂'), /^[A-Za-z0-9_-]{22}$/);
    assert.equal(key('prj_a', 'ns_b', 'x'), key('prj_a', 'ns_b', 'x'));
  });

  it('differs where only the boundary between its parts moves', () => {
    const names = [
      key('a', 'bc', 'd'),
      key('ab', 'c', 'd'),
      key('a', 'b', 'cd'),
      key('a', 'bcd', ''),
      key('a', '1:b', 'c'),
    ];
    assert.equal(new Set(names).size, names.length);
  });

  it('differs for identifiers that only look alike', () => {
    assert.notEqual(key('a', 'b', 'caf\u00e9'), key('a', 'b', 'cafe\u0301'));
  });

  it('depends on the secret, and refuses a short one', () => {
    const other = identifierKeyer(new Uint8Array(32).fill(8));
    assert.notEqual(key('a', 'b', 'c'), other('a', 'b', 'c'));
    assert.throws(() => identifierKeyer(new Uint8Array(31)), RangeError);
  });
});
