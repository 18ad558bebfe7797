import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMatch } from '../../../src/policy/exceptions/match.ts';
import { isStronger } from '../../../src/policy/exceptions/overlap.ts';
import { type Candidate, matchingExceptions } from '../../../src/policy/exceptions/precedence.ts';
import { EXCEPTION_KINDS } from '../../../src/policy/exceptions/rule-exception.ts';
import type { NamespaceKind } from '../../../src/policy/names.ts';

/** Every text of a and b of up to 8 characters: longer than what two patterns of up to 4 need. */
const TEXTS = Array.from({ length: 9 }, (_, length) =>
  Array.from({ length: 2 ** length }, (_, bits) =>
    Array.from({ length }, (_, at) => ((bits >> at) & 1 ? 'a' : 'b')).join(''),
  ),
).flat();
/** All addresses of 203.0.113.0/28 and one outside. */
const ADDRESSES = [...Array.from({ length: 16 }, (_, last) => `203.0.113.${last}`), '198.51.100.1'];

const text = fc
  .string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 4 })
  .filter((t) => t !== '');
const address = fc
  .tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 28, max: 32 }))
  .map(([last, prefix]) => `203.0.113.${last & ~(2 ** (32 - prefix) - 1)}/${prefix}`);

function candidate(kind: NamespaceKind) {
  return fc
    .record({
      kind: fc.constantFrom(...EXCEPTION_KINDS),
      text: kind === 'ip' ? address : text,
      createdAtMs: fc.integer({ min: 0, max: 3 }),
    })
    .map(
      ({ text: written, ...rest }): Candidate => ({
        ...rest,
        ...parseMatch(kind, written),
        expiresAtMs: null,
      }),
    );
}

for (const [kind, subjects] of [
  ['text', TEXTS],
  ['ip', ADDRESSES],
] as const) {
  test(`one exception is stronger than another where it decides for anybody who matches both: ${kind}`, () => {
    fc.assert(
      fc.property(candidate(kind), candidate(kind), (rival, exception) => {
        // Of one kind there is only one for a match.
        fc.pre(rival.kind !== exception.kind || rival.match !== exception.match);
        const decides = subjects.some((subject) => {
          const found = matchingExceptions([exception, rival], kind, subject, 0);
          return found.length === 2 && found[0] === rival;
        });
        assert.equal(isStronger(rival, exception), decides);
      }),
      { numRuns: 500 },
    );
  });
}
