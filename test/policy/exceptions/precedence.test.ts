import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseMatch } from '../../../src/policy/exceptions/match.ts';
import { matchingExceptions, possibleMatches } from '../../../src/policy/exceptions/precedence.ts';
import type { ExceptionKind } from '../../../src/policy/exceptions/rule-exception.ts';
import type { NamespaceKind } from '../../../src/policy/names.ts';

const NOW_MS = 1_800_000_000_000;

function said(
  namespaceKind: NamespaceKind,
  kind: ExceptionKind,
  text: string,
  createdAtMs = 1,
  endsInMs?: number,
) {
  const expiresAtMs = endsInMs === undefined ? null : NOW_MS + endsInMs;
  return { kind, ...parseMatch(namespaceKind, text), createdAtMs, expiresAtMs };
}

function order(kind: NamespaceKind, all: readonly ReturnType<typeof said>[], subject: string): string[] {
  return matchingExceptions(all, kind, subject, NOW_MS).map((each) => `${each.kind} ${each.match}`);
}

describe('of the exceptions that match', () => {
  it('the exact ones decide first, then the most specific, then by kind, then the oldest', () => {
    const all = [
      said('text', 'block', '*'),
      said('text', 'override', 'api-*', 3),
      said('text', 'override', '*pi-1', 2),
      said('text', 'exemption', 'a*i-1', 4),
      said('text', 'override', 'api-1'),
      said('text', 'exemption', 'api-1'),
      said('text', 'block', 'api-2'),
      said('text', 'block', 'api-1', 1, 0),
    ];
    assert.deepEqual(order('text', all, 'api-1'), [
      'exemption api-1',
      'override api-1',
      'exemption a*i-1',
      'override *pi-1',
      'override api-*',
      'block *',
    ]);
  });

  it('the longest prefix decides, on the full address', () => {
    const all = [
      said('ip', 'block', '0.0.0.0/0'),
      said('ip', 'override', '10.0.0.0/8'),
      said('ip', 'block', '10.0.0.0/8'),
      said('ip', 'exemption', '10.1.2.0/24'),
      said('ip', 'override', '10.1.2.3'),
      said('ip', 'block', '::/0'),
    ];
    assert.deepEqual(order('ip', all, '10.1.2.3'), [
      'override 10.1.2.3',
      'exemption 10.1.2.0/24',
      'block 10.0.0.0/8',
      'override 10.0.0.0/8',
      'block 0.0.0.0/0',
    ]);
    assert.deepEqual(order('ip', all, '2001:db8::1/128'), ['block ::/0']);
  });
});

describe('the matches that can hold for an identifier', () => {
  it('are itself, and every block that its address is in', () => {
    assert.deepEqual(possibleMatches('text', 'a*b'), ['a\\*b']);
    const ipv4 = possibleMatches('ip', '203.0.113.7');
    assert.deepEqual(
      [ipv4.length, ipv4[0], ipv4[1], ipv4.at(-1)],
      [33, '203.0.113.7', '203.0.113.6/31', '0.0.0.0/0'],
    );
    assert.equal(possibleMatches('ip', '2001:db8::1').length, 129);
    assert.deepEqual(possibleMatches('ip', 'bob'), []);
  });

  it('are all canonical', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const match of possibleMatches('ip', address))
          assert.equal(parseMatch('ip', match).match, match);
      }),
      { numRuns: 20 },
    );
  });
});
