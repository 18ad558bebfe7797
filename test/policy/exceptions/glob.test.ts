import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { globOf } from '../../../src/policy/exceptions/glob.ts';
import { parseText } from '../../../src/policy/exceptions/text-match.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '\\*', '\\\\', '🙂', '.'), maxLength: 12 });
const texts = fc.string({ unit: fc.constantFrom('a', 'b', '*', '\\', '🙂', '.'), maxLength: 12 });

/** The same by a regular expression, which goes back and tries again. */
function byRegExp(pattern: string, text: string): boolean {
  const { parts } = parseText(pattern);
  const source = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
  return new RegExp(`^${source}$`, 'su').test(text);
}

describe('a pattern', () => {
  it('stands for any run of characters where it has a star, also for none', () => {
    const cases: [string, string, boolean][] = [
      ['*', '', true],
      ['*', 'anything\u2028at all', true],
      ['a*', 'a', true],
      ['a*', 'ba', false],
      ['*a', 'aba', true],
      ['a*a', 'a', false],
      ['a*a', 'aa', true],
      ['a*b*c', 'a-b-b-c', true],
      ['a*bb*c', 'abc', false],
      ['*ab*ab*', 'abab', true],
      ['*ab*ab*', 'aba', false],
      ['*aab*', 'aaab', true],
      ['x\\**', 'x*y', true],
      ['x\\**', 'xy', false],
      ['A*', 'a', false],
    ];
    for (const [pattern, text, isMatch] of cases) {
      assert.equal(globOf(pattern).matches(text), isMatch, `${pattern} ${text}`);
    }
  });

  it('matches what a regular expression of the same meaning does', () => {
    fc.assert(
      fc.property(letters, texts, (pattern, text) => {
        assert.equal(globOf(pattern).matches(text), byRegExp(pattern, text));
      }),
      { numRuns: 3000 },
    );
  });

  it('says what it begins and ends with, and counts its literal characters, an emoji as one', () => {
    const { prefix, suffix, middle, literalCharacters } = globOf('api-*🙂*\\*é');
    assert.deepEqual(
      { prefix, suffix, middle, literalCharacters },
      {
        prefix: 'api-',
        suffix: '*é',
        middle: ['🙂'],
        literalCharacters: 7,
      },
    );
  });
});
