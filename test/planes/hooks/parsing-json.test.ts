import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonPortions } from '../../../src/planes/hooks/json-answer.ts';
import { hasRepeatedMember } from '../../../src/planes/hooks/member-count.ts';
import { parsingJson, RepeatedMember } from '../../../src/planes/hooks/parsing-json.ts';
import { result } from '../../../src/policy/rules/steps.ts';

const parsed = (text: string) => result(parsingJson(text));

test('a body that is read in steps is what JSON.parse makes of it, however it is spaced', () => {
  const anyJson = fc
    .jsonValue({ maxDepth: 8 })
    .filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(anyJson, fc.constantFrom(undefined, 1, '\t'), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      assert.deepEqual(parsed(text), JSON.parse(text));
    }),
  );
  for (const text of [
    ' {"a" : [ 1 , "\\u00e9\\ud83d\\ude42\\n" , {} , [] ] }\r\n',
    '{"a":1,"10":3,"2":4}',
    '"\u007f\u0085 \u2028"',
    '-1.5e-7',
  ]) {
    assert.deepEqual(parsed(text), JSON.parse(text));
  }
});

test('what JSON.parse refuses is refused, and what could reach a prototype', () => {
  const texts = [
    '',
    ' ',
    '{',
    '[1',
    '[1,]',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '[1 2]',
    '[,]',
    '{,}',
    '1 2',
    '01',
    '+1',
    '.5',
  ];
  const more = [
    '"\u0001"',
    '"\\x"',
    '"a',
    'nul',
    'NaN',
    '[1]]',
    "'a'",
    '\ufeff1',
    '\u00a01',
    '{"a":}',
    '[undefined]',
  ];
  for (const text of [...texts, ...more]) {
    assert.throws(() => JSON.parse(text), SyntaxError, text);
    assert.throws(() => parsed(text), SyntaxError, text);
  }
  for (const text of [
    '{"__proto__":{}}',
    '[{"\\u005f_proto__":1}]',
    '{"a":{"constructor":{"prototype":1}}}',
  ]) {
    assert.throws(() => parsed(text), SyntaxError, text);
  }
  assert.throws(() => parsed('['.repeat(100_000)), SyntaxError);
});

test('a member that is there twice is found, at any depth, in any spelling, and nothing else is taken for one', () => {
  const anyJson = fc
    .jsonValue({ maxDepth: 6 })
    .filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(anyJson, fc.constantFrom(undefined, 1, '\t'), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces);
      if (hasRepeatedMember(text, value)) assert.doesNotThrow(() => parsed(text));
    }),
  );
  for (const [text, member] of [
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":{"c":[{"d":1 , "d" :1}]}}', 'b.c[0].d'],
    ['{"a":[1,{"b":{"c":1}},{"d":[{"e":1},{"e":1,"e":2}]}]}', 'a[2].d[1].e'],
    ['{"a":{"b":{"c":{"d":{"e":{"f":[[],[{"g":1,"g":2}]]}}}}}}', 'a.b.c.d.e.f[1][0].g'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[[[[[[{"a":1,"a":1}]]]]]]', '[0][0][0][0][0][0].a'],
    ['{"":1,"":2}', ''],
  ] as const) {
    assert.ok(hasRepeatedMember(text, JSON.parse(text)), text);
    assert.throws(
      () => parsed(text),
      (error) => error instanceof RepeatedMember && error.member === member,
      text,
    );
  }
  for (const text of ['{"identifier":"2001:db8::1","url":"http://x"}', '{"a":{"a":[{"a":1},{"a":1}]}}']) {
    assert.equal(hasRepeatedMember(text, JSON.parse(text)), false, text);
  }
  const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
  assert.equal(hasRepeatedMember(deep, JSON.parse(deep)), false);
});

test('other work has its turn while a long list is read or written', () => {
  const list = Array.from({ length: 5000 }, (_, index) => ({ match: `user-${index}` }));
  const steps = parsingJson(JSON.stringify({ namespaces: { login: { blocks: list } } }));
  let count = 0;
  while (steps.next().done !== true) count += 1;
  assert.ok(count >= list.length);
  const longest = Math.max(...[...jsonPortions({ items: list })].map((portion) => portion.length));
  assert.ok(longest < 10_000, String(longest));
});

test('an answer in portions is what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal([...jsonPortions(value)].join(''), JSON.stringify(value));
    }),
  );
  const long = { a: undefined, items: Array.from({ length: 1001 }, (_, at) => [at]), none: [], rest: {} };
  assert.equal([...jsonPortions(long)].join(''), JSON.stringify(long));
});
