import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { identifierOfMatch, matchOfIdentifier, parseMatch } from '../../../src/policy/exceptions/match.ts';
import { canonicalIdentifier } from '../../../src/policy/identifier.ts';
import { brumeError } from '../../support/brume-error.ts';

function detailOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BrumeError) return error.detail ?? '';
    throw error;
  }
  return assert.fail('it was taken');
}

it('an IPv4 block written as IPv6 with the prefix of IPv4 is told in both right spellings', () => {
  for (const [text, right] of [
    ['::ffff:1.2.3.0/24', 'write 1.2.3.0/24, or ::ffff:1.2.3.0/120'],
    ['::FFFF:0102:0300/24', 'write 1.2.3.0/24, or ::ffff:1.2.3.0/120'],
    ['::ffff:1.2.3.4/8', 'write 1.0.0.0/8, or ::ffff:1.0.0.0/104'],
    ['::ffff:0:0/0', 'write 0.0.0.0/0, or ::ffff:0.0.0.0/96'],
  ] as const) {
    const detail = detailOf(() => parseMatch('ip', text));
    assert.ok(detail.endsWith(`: ${right}.`), detail);
    for (const spelling of right.replace('write ', '').split(', or '))
      assert.equal(parseMatch('ip', spelling).form, 'cidr', spelling);
  }
});

describe('a match in a namespace of kind text', () => {
  it('is exact without a star that stands for anything, and a pattern with one', () => {
    const cases = {
      'user-1': ['exact', 'user-1'],
      'user-*': ['pattern', 'user-*'],
      '*': ['pattern', '*'],
      'a**b***': ['pattern', 'a*b*'],
      'a\\*b': ['exact', 'a\\*b'],
      'a\\\\b': ['exact', 'a\\\\b'],
      '\\\\*': ['pattern', '\\\\*'],
      '\\**': ['pattern', '\\**'],
      '203.0.113.0/24': ['exact', '203.0.113.0/24'],
      'Łódź 🙂*': ['pattern', 'Łódź 🙂*'],
    };
    for (const [text, [form, match]] of Object.entries(cases)) {
      assert.deepEqual(parseMatch('text', text), { form, match }, text);
    }
  });

  it('has every backslash doubled, and the refusal spells it right', () => {
    for (const [text, right] of [
      ['CORP\\bob', 'CORP\\\\bob'],
      ['a\\', 'a\\\\'],
      ['\\*a\\b', '\\*a\\\\b'],
    ] as const) {
      assert.match(
        detailOf(() => parseMatch('text', text)),
        /backslash doubled/,
      );
      assert.ok(detailOf(() => parseMatch('text', text)).endsWith(`: ${right}.`));
      assert.equal(parseMatch('text', right).match, right);
    }
  });

  it('keeps the rules of identifiers; escapes count as the one character that they stand for', () => {
    for (const text of ['', ' ', '\u200b', 'a\nb', 'a\u0085', '\ud800', 'x'.repeat(513), 'ü'.repeat(257)]) {
      assert.throws(() => parseMatch('text', text), brumeError('bad_request', 'match'), JSON.stringify(text));
    }
    assert.equal(parseMatch('text', '\\*'.repeat(512)).match.length, 1024);
    assert.throws(() => parseMatch('text', '\\*'.repeat(513)), brumeError('bad_request', 'match'));
    assert.equal(parseMatch('text', `${'x'.repeat(511)}**`).form, 'pattern');
  });

  it('can name every identifier, and its canonical spelling is read as itself', () => {
    const identifier = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.string({ unit: fc.constantFrom('*', '\\', 'a', '/'), minLength: 1, maxLength: 20 }),
    );
    fc.assert(
      fc.property(identifier, (raw) => {
        try {
          canonicalIdentifier({ kind: 'text', ipv6Prefix: 64 }, raw);
        } catch {
          return;
        }
        const match = matchOfIdentifier(raw);
        assert.deepEqual(parseMatch('text', match), { form: 'exact', match });
        assert.equal(identifierOfMatch(match), raw);
      }),
    );
  });
});

describe('a match in a namespace of kind ip', () => {
  it('is one full address, spelled as addresses are, or a block of them', () => {
    const cases = {
      '203.0.113.7': ['exact', '203.0.113.7'],
      '203.0.113.7/32': ['exact', '203.0.113.7'],
      '203.0.113.7:8080': ['exact', '203.0.113.7'],
      '::ffff:203.0.113.7': ['exact', '203.0.113.7'],
      '2001:DB8:0:0::1': ['exact', '2001:db8::1'],
      '[2001:db8::1]:443': ['exact', '2001:db8::1'],
      'fe80::1%eth0': ['exact', 'fe80::1'],
      '2001:db8::1/128': ['exact', '2001:db8::1'],
      '198.51.100.0/24': ['cidr', '198.51.100.0/24'],
      '0.0.0.0/0': ['cidr', '0.0.0.0/0'],
      '::/0': ['cidr', '::/0'],
      '2001:DB8::/32': ['cidr', '2001:db8::/32'],
      '2001:db8:1:2::/64': ['cidr', '2001:db8:1:2::/64'],
      '::ffff:198.51.100.0/120': ['cidr', '198.51.100.0/24'],
      '::ffff:198.51.100.7/128': ['exact', '198.51.100.7'],
      '::ffff:0:0/96': ['cidr', '0.0.0.0/0'],
    };
    for (const [text, [form, match]] of Object.entries(cases)) {
      assert.deepEqual(parseMatch('ip', text), { form, match }, text);
      assert.deepEqual(parseMatch('ip', match ?? ''), { form, match }, match);
    }
  });

  it('has no bits behind its prefix, and the refusal spells it right', () => {
    assert.equal(
      detailOf(() => parseMatch('ip', '198.51.100.7/24')),
      'match has bits set behind its prefix: write 198.51.100.0/24, or 198.51.100.7 for this address alone.',
    );
    assert.match(
      detailOf(() => parseMatch('ip', '2001:db8::1/32')),
      / write 2001:db8::\/32, or 2001:db8::1 /,
    );
  });

  it('is nothing else', () => {
    for (const text of [
      ...[
        '',
        ' ',
        'bob',
        '203.0.113.*',
        '203.0.113',
        '203.0.113.07',
        '0x7f.1',
        '203.0.113.0/33',
        '203.0.113.0/-1',
      ],
      ...[
        '203.0.113.0/024',
        '203.0.113.0/',
        '/24',
        '203.0.113.0/24/24',
        '203.0.113.0:80/24',
        'fe80::%eth0/64',
      ],
      ...['[2001:db8::]/32', '2001:db8::/129', '::ffff:198.51.100.0/24', '1.2.3.4 /32', '2001:db8::*'],
    ]) {
      assert.throws(() => parseMatch('ip', text), brumeError('bad_request', 'match'), text);
    }
    assert.match(
      detailOf(() => parseMatch('ip', '203.0.113.*')),
      /written as 198\.51\.100\.0\/24, not with \*/,
    );
  });
});
