import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseException } from '../../../src/policy/exceptions/exception-input.ts';
import { parseMatch } from '../../../src/policy/exceptions/match.ts';
import { matchingExceptions } from '../../../src/policy/exceptions/precedence.ts';
import { EXCEPTION_KINDS } from '../../../src/policy/exceptions/rule-exception.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';

const page = readFileSync(new URL('../../../docs/exceptions.md', import.meta.url), 'utf8');

/** The first column of code of the table under a heading, row by row, with the second one if it is code. */
function rowsUnder(heading: string): string[][] {
  const section = page.slice(page.indexOf(heading)).split('\n#')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) =>
    [...line.matchAll(/^\| `(.*?)` \|(?: `([^`]*)` \|)?/g)].flatMap((found) => found.slice(1)),
  );
}

describe('docs/exceptions.md', () => {
  it('shows matches of text in their one spelling', () => {
    const rows = rowsUnder('### In a namespace of kind `text`');
    assert.equal(rows.length, 7);
    for (const [written = ''] of rows) assert.equal(parseMatch('text', written).match, written);
  });

  it('shows matches of addresses as they are kept', () => {
    const rows = rowsUnder('### In a namespace of kind `ip`');
    assert.equal(rows.length, 8);
    for (const [written = '', kept] of rows) assert.equal(parseMatch('ip', written).match, kept);
  });

  it('says which one decides as it is decided', () => {
    const rows = [...page.matchAll(/^\| ((?:\w+ `[^`]+`,? ?)+) \| (\S+) (.*?) \|$/gm)];
    assert.equal(rows.length, 4);
    for (const [, there = '', subject = '', so = ''] of rows) {
      const kind = /^[\d.]+$/.test(subject) ? 'ip' : 'text';
      const all = [...there.matchAll(/(\w+) `([^`]+)`/g)].map(([, named = '', match = '']) => ({
        kind: EXCEPTION_KINDS.find((known) => known === named) ?? assert.fail(named),
        ...parseMatch(kind, match),
        createdAtMs: 1,
        expiresAtMs: null,
      }));
      const [best] = matchingExceptions(all, kind, subject, 2);
      const expected = so.startsWith('is let through')
        ? 'exemption'
        : so.startsWith('is blocked')
          ? 'block'
          : 'override';
      assert.equal(best?.kind, expected, there);
      if (expected === 'override') assert.equal(best, all[1]);
    }
  });

  it('shows an override that is one', () => {
    const rule = parseRule({
      limits: [{ name: 'minute', algorithm: 'token_bucket', limit: 60, windowMs: 60_000 }],
      quotas: [{ limit: 5000, period: 'month' }],
    });
    const [, json = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
    const input: unknown = JSON.parse(json);
    assert.equal(parseException(input, { kind: 'override', rule }).limits?.length, 2);
  });
});
