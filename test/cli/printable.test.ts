import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printable, printableJson, printableLines } from '../../src/cli/printable.ts';
import { details, table } from '../../src/cli/table.ts';

const DANGEROUS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\p{Cs}]/u;

test('no control character is left, and other text stays as it is', () => {
  assert.equal(
    printable('\u001b[2Jx\u0007\r\n\u009b31m\u202etxt\u2028'),
    '\\u{1b}[2Jx\\u{7}\\u{d}\\u{a}\\u{9b}31m\\u{202e}txt\\u{2028}',
  );
  assert.equal(printable('Zoë 東京 👍🏽 "q" \\'), 'Zoë 東京 👍🏽 "q" \\');
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !DANGEROUS.test(printable(text))));
});

test('lines keep their ends and tabs, and nothing else', () => {
  assert.equal(printableLines('a\n\tb\r\n\u001bc'), 'a\n\tb\\u{d}\n\\u{1b}c');
});

test('JSON means the same after what could do harm is escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = printableJson({ text });
      assert.deepEqual(JSON.parse(json), {
        text: text.toWellFormed() === text ? text : JSON.parse(JSON.stringify(text)),
      });
      assert.ok(json.split('\n').every((line) => !DANGEROUS.test(line)));
    }),
  );
});

test('a cell cannot forge a row', () => {
  const text = table(['NAME', 'N'], [['a\nb  9', 1]]);
  assert.equal(text, 'NAME        N\na\\u{a}b  9  1');
});

test('columns are as wide as their widest cell; numbers stand on the right', () => {
  const rows = [
    ['login', 10, null],
    ['é', 5, 'x'],
  ];
  assert.equal(table(['NAME', 'LIMIT', 'C'], rows), 'NAME   LIMIT  C\nlogin     10  -\né          5  x');
  assert.equal(
    details([
      ['Name', 'x'],
      ['Longer', null],
    ]),
    'Name    x\nLonger  -',
  );
});
