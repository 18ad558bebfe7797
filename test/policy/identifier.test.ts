import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BrumeError } from '../../src/errors/catalogue.ts';
import { canonicalIdentifier } from '../../src/policy/identifier.ts';
import { brumeError } from '../support/brume-error.ts';

const TEXT = { kind: 'text', ipv6Prefix: 64 } as const;
const IP = { kind: 'ip', ipv6Prefix: 64 } as const;

const text = (raw: unknown) => canonicalIdentifier(TEXT, raw);
const ip = (raw: unknown) => canonicalIdentifier(IP, raw);

const refused = brumeError('bad_request', 'identifier');

describe('an identifier of kind text', () => {
  it('is taken as it is, up to 512 bytes', () => {
    for (const raw of [
      'a',
      'user@example.org',
      ' a ',
      'Müller',
      'Łódź',
      '用户🙂',
      'a'.repeat(512),
      'é'.repeat(256),
    ]) {
      assert.equal(text(raw), raw);
    }
  });

  it('is refused if empty, blank, too long, with control characters or no Unicode', () => {
    const controls = ['\0', 'a\0b', 'a\r\nX-Evil: 1', '\t', 'a\x1f', 'a\x7f', 'a\x80', 'a\x9f'];
    const surrogates = ['\ud800', 'a\udc00b', '\udc00\ud800'];
    const blanks = ['', ' ', '   ', '\u00a0', '\u3000 ', '\u200b', '\u200d\u2060 \ufeff', '\u3164'];
    const tooLong = ['a'.repeat(513), 'é'.repeat(257), `${'a'.repeat(509)}🙂`, 'a'.repeat(1_000_000)];
    for (const raw of [...controls, ...surrogates, ...blanks, ...tooLong]) {
      assert.throws(() => text(raw), refused, JSON.stringify(raw.slice(0, 20)));
    }
  });

  it('is refused if it is no string', () => {
    for (const raw of [undefined, null, 1, true, ['a'], { a: 1 }]) assert.throws(() => text(raw), refused);
  });

  it('B42: é composed and decomposed are two identifiers, and names in any script are taken', () => {
    assert.notEqual(text('caf\u00e9'), text('cafe\u0301'));
    assert.equal(text('caf\u00e9'), 'caf\u00e9');
    assert.equal(text('cafe\u0301'), 'cafe\u0301');
    assert.equal(text('x'.repeat(300)).length, 300);
  });

  it('is either unchanged or refused, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (raw) => {
        try {
          assert.equal(text(raw), raw);
          assert.ok(Buffer.byteLength(raw) <= 512 && Buffer.from(raw).toString() === raw);
        } catch (error) {
          if (!(error instanceof BrumeError)) throw error;
          refused(error);
        }
      }),
    );
  });
});

describe('an identifier of kind ip', () => {
  it('B40: addresses in one /64 are one identifier, another /64 is another', () => {
    const first = ip('2001:db8:1:2::1');
    assert.equal(first, '2001:db8:1:2::/64');
    for (let host = 2; host <= 6; host++) assert.equal(ip(`2001:db8:1:2::${host}`), first);
    assert.notEqual(ip('2001:db8:1:3::1'), first);
  });

  it('B40: every spelling of an address is one identifier', () => {
    const spellings = [
      '2001:DB8:0:0:0:0:0:1',
      '2001:db8::1',
      '2001:0db8::0001',
      '[2001:db8::1]',
      '[2001:db8::1]:443',
    ];
    for (const spelling of spellings) assert.equal(ip(spelling), '2001:db8::/64');
  });

  it('B40: an IPv4-mapped address is the IPv4 address, and two of them are two', () => {
    assert.equal(ip('192.0.2.1'), '192.0.2.1');
    assert.equal(ip('::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(ip('::FFFF:c000:201'), '192.0.2.1');
    assert.equal(ip('0:0:0:0:0:ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(ip('[::ffff:192.0.2.1]:80'), '192.0.2.1');
    assert.notEqual(ip('::ffff:192.0.2.1'), ip('::ffff:198.51.100.1'));
  });

  it('B40: a zone id is dropped', () => {
    assert.equal(ip('fe80::1%eth0'), 'fe80::/64');
    assert.equal(ip('[fe80::1%25eth0]:80'), 'fe80::/64');
  });

  it('drops ports', () => {
    assert.equal(ip('192.0.2.1:80'), '192.0.2.1');
    assert.equal(ip('[::1]:65535'), '::/64');
  });

  it('is cut to the prefix of the rule', () => {
    const cut = (ipv6Prefix: number) =>
      canonicalIdentifier({ kind: 'ip', ipv6Prefix }, '2001:db8:ffff:ffff:ffff::1');
    assert.equal(cut(128), '2001:db8:ffff:ffff:ffff::1/128');
    assert.equal(cut(56), '2001:db8:ffff:ff00::/56');
    assert.equal(cut(48), '2001:db8:ffff::/48');
    assert.equal(cut(33), '2001:db8:8000::/33');
    assert.equal(cut(1), '::/1');
    assert.equal(canonicalIdentifier({ kind: 'ip', ipv6Prefix: 1 }, '192.0.2.1'), '192.0.2.1');
  });

  it('is refused if it is no plain address: octal, hexadecimal, short, padded, with a port that is none', () => {
    const numbers = [
      '127.1',
      '1',
      '0x7f.0.0.1',
      '010.0.0.1',
      '1.2.3.04',
      '2130706433',
      '1.2.3.256',
      '1.2.3.4.5',
    ];
    const ports = ['1.2.3.4:', '1.2.3.4:x', '1.2.3.4:65536', '1.2.3.4:800000', '[::1]:', '[::1]80', '[::1'];
    const v6 = [
      '::1::',
      ':::',
      '1:2:3:4:5:6:7:8:9',
      '::ffff:010.0.0.1',
      '::ffff:1.2.3',
      'g::1',
      '::1%',
      '%eth0',
    ];
    const others = [
      'localhost',
      ' 1.2.3.4',
      '1.2.3.4 ',
      '1.2.3.4/32',
      '[1.2.3.4]',
      '[]',
      '::1, ::2',
      'a',
      '１.2.3.4',
    ];
    for (const raw of [...numbers, ...ports, ...v6, ...others, '', '\0']) {
      assert.throws(() => ip(raw), refused, raw);
    }
  });

  it('is the same for every spelling of any IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.integer({ min: 1, max: 128 }), (address, ipv6Prefix) => {
        const once = canonicalIdentifier({ kind: 'ip', ipv6Prefix }, address);
        const again = once.replace(/\/\d+$/, '');
        assert.equal(canonicalIdentifier({ kind: 'ip', ipv6Prefix }, again), once);
        assert.equal(canonicalIdentifier({ kind: 'ip', ipv6Prefix }, address.toUpperCase()), once);
      }),
    );
  });
});
