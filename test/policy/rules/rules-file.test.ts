import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRulesFile } from '../../../src/policy/rules/rules-file.ts';
import { faultsOf, loginWith } from './faults-of.ts';

const WHOLE = `# comments are welcome
project: shop
namespaces:
  login:
    kind: ip
    identifyBy: address
    limits:
      - { name: minute, algorithm: sliding_window, limit: 10, window: 1m }
    quotas:
      - { limit: 20000, period: month, timeZone: Europe/Paris }
    blocks:
      - { match: 203.0.113.7, until: 2027-01-01T00:00:00Z, reason: "…" }
    exemptions: []
    overrides:
      - { match: 198.51.100.0/24, limits: [ { name: minute, limit: 100 } ] }
  jobs:
    limits: [{ algorithm: concurrency, limit: 3, ttl: 30s }]
`;

test('a file is read with its sections, and durations are milliseconds', () => {
  const { project, rules } = readRulesFile(WHOLE);
  assert.equal(project, 'shop');
  const login = rules.namespaces.get('login');
  assert.deepEqual(login?.rule.json.limits, [
    { name: 'minute', algorithm: 'sliding_window', limit: 10, windowMs: 60_000, mode: 'enforce' },
  ]);
  assert.deepEqual(login?.exceptions, {
    block: [
      {
        form: 'exact',
        match: '203.0.113.7',
        limits: null,
        reason: '…',
        expiresAtMs: Date.UTC(2027, 0, 1),
      },
    ],
    exemption: [],
    override: [
      {
        form: 'cidr',
        match: '198.51.100.0/24',
        limits: [{ name: 'minute', limit: 100 }],
        reason: '',
        expiresAtMs: null,
      },
    ],
  });
  assert.equal(rules.namespaces.get('jobs')?.rule.json.limits?.[0]?.ttlMs, 30_000);
  assert.deepEqual(rules.namespaces.get('jobs')?.exceptions, {}, 'no section, nothing managed');
});

test('an anchor can be repeated by aliases', () => {
  const { rules } = readRulesFile(
    'namespaces:\n  a: &rule\n    limits: &limits [{ algorithm: gcra, limit: 5, window: 1m }]\n  b: *rule\n  c: { limits: *limits }\n',
  );
  assert.equal(rules.namespaces.size, 3);
  assert.deepEqual(rules.namespaces.get('c')?.rule, rules.namespaces.get('a')?.rule);
});

test('every fault is told with its line, its column and what would be right', () => {
  const text = `project: shop
namespaces:
  login:
    limts: []
    limits:
      - { name: a, algorithm: sliding_windw, limit: "10", window: 60 }
    blocks:
      - { match: 1.2 }
      - { match: x, until: 2027-01-01T00:00:00 }
    blocks: 1
    exemptions:
  123: x
  Bad: y
`;
  assert.deepEqual(faultsOf(text), [
    '4:5: namespaces.login.limts is not a known member; did you mean limits?',
    '6:31: namespaces.login.limits[0].algorithm must be one of fixed_window, sliding_window, sliding_log, token_bucket, leaky_bucket, gcra, concurrency; did you mean sliding_window?',
    '6:53: namespaces.login.limits[0].limit is text: write the number 10 without quotes.',
    '6:67: namespaces.login.limits[0].window must be a duration such as 500ms, 60s, 5m, 1h or 1d.',
    '8:18: namespaces.login.blocks[0].match must be an identifier, a pattern with *, or in a namespace of kind ip an address or a block of them; YAML takes 1.2 for a number: write it in quotes, "1.2".',
    '9:28: namespaces.login.blocks[1].until must be an ISO 8601 time with its offset, such as 2030-01-31T12:00:00Z.',
    '10:5: blocks stands here a second time; the first is in line 7.',
    '11:16: namespaces.login.exemptions must be a list of exemptions; [] for none.',
    '12:3: a name must be text: write it in quotes, "123".',
    '13:3: namespaces.Bad is not a name: it must be 1 to 64 characters of a-z, 0-9, ".", "_" and "-", the first one a letter or digit.',
  ]);
});

test('at most 20 faults are told', () => {
  const blocks = Array.from({ length: 50 }, () => '  - { mtch: a }').join('\n    ');
  assert.equal(faultsOf(loginWith('blocks:', ...blocks.split('\n    '))).length, 20);
});

describe('B18: a number is taken exactly or not at all', () => {
  const limitOf = (limit: string) =>
    `namespaces: { a: { limits: [{ algorithm: gcra, limit: ${limit}, window: 1ms, burst: 1 }] } }`;
  for (const limit of [0, 1, 9007199254740991]) {
    test(`${limit} is ${limit}`, () => {
      const { rules } = readRulesFile(limitOf(String(limit)));
      assert.equal(rules.namespaces.get('a')?.rule.json.limits?.[0]?.limit, limit);
    });
  }
  for (const limit of ['9007199254740992', '9007199254740993', '18446744073709551616', '-1']) {
    test(`${limit} is refused`, () => {
      const [fault = '', ...more] = faultsOf(limitOf(limit));
      assert.match(fault, /limit must be an integer from 0 to 9007199254740991; \S+ is not\.$/);
      assert.deepEqual(more, []);
    });
  }
  for (const limit of ['1e3', '0x10', '0o17', '010', '+5', '5.0', '.5', '.inf', '.nan', '-0x1']) {
    test(`${limit} is refused: only plain digits are numbers here`, () => {
      const [fault = ''] = faultsOf(limitOf(limit));
      assert.match(fault, /limit must be an integer from 0 to 9007199254740991/);
      assert.ok(fault.includes(limit) && fault.includes('plain digits'), fault);
    });
  }
  test('1_000 is text, and is refused', () =>
    assert.match(faultsOf(limitOf('1_000'))[0] ?? '', /must be an integer/));
});

describe('the traps of YAML', () => {
  test('no, on and y are names and matches like any other', () => {
    const { rules } = readRulesFile(
      'namespaces: { no: { limits: [{ algorithm: gcra, limit: 5, window: 1m }], blocks: [{ match: off }, { match: yes }] }, "on": { quotas: [{ limit: 1, period: day }] } }',
    );
    assert.deepEqual([...rules.namespaces.keys()], ['no', 'on']);
    assert.deepEqual(
      rules.namespaces.get('no')?.exceptions.block?.map(({ match }) => match),
      ['off', 'yes'],
    );
  });
  for (const match of ['1.2', '12345', '0x1f', '1e3', 'true', '010']) {
    test(`a match ${match} is asked to be put in quotes, as it is written`, () => {
      assert.match(
        faultsOf(loginWith(`blocks: [{ match: ${match} }]`))[0] ?? '',
        new RegExp(`write it in quotes, "${match}"`),
      );
      const { rules } = readRulesFile(loginWith(`blocks: [{ match: "${match}" }]`));
      assert.equal(rules.namespaces.get('login')?.exceptions.block?.[0]?.match, match);
    });
  }
  test('an address with four parts needs no quotes', () => {
    const { rules } = readRulesFile(
      loginWith('kind: ip', 'blocks: [{ match: 203.0.113.7 }, { match: 2001:db8::/32 }]'),
    );
    assert.equal(rules.namespaces.get('login')?.exceptions.block?.length, 2);
  });
  test('a section with nothing in it is refused: is it no entry, or not managed here?', () => {
    assert.deepEqual(faultsOf(loginWith('blocks:')), [
      '4:12: namespaces.login.blocks must be a list of blocks; [] for none.',
    ]);
  });
  for (const until of [
    '2027-01-01',
    '2027-01-01T00:00:00',
    '2027-02-30T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '12345',
  ]) {
    test(`until ${until} is refused: no zone, or no such time`, () => {
      assert.match(
        faultsOf(loginWith(`blocks: [{ match: a, until: ${until} }]`))[0] ?? '',
        /blocks\[0\]\.until must be an ISO 8601 time with its offset/,
      );
    });
  }
});

describe('what is not one plain document is refused', () => {
  const cases: readonly [string, string, RegExp][] = [
    ['nothing', '', /^1:1: the file must be an object with namespaces/],
    ['a list', '- a\n', /^1:1: the file must be an object/],
    ['two documents', 'namespaces: {}\n---\nnamespaces: {}\n', /^3:1: a second document begins here/],
    ['a tag', 'namespaces: !rules {}\n', /^1:13: this tag is not known/],
    ['YAML 1.1', '%YAML 1.1\n---\nnamespaces: {}\n', /read as YAML 1\.2, not as 1\.1/],
    ['a broken quote', 'namespaces: "x\n', /^\d+:\d+: missing closing/],
    ['an alias of nothing', 'namespaces: *a\n', /^1:13: nothing before this alias has the anchor &a/],
    [
      'an alias of what it is in',
      'namespaces: &a { x: *a }\n',
      /nothing before this alias has the anchor &a/,
    ],
    ['a merge key', `${loginWith()}  b:\n    <<: {}\n`, /<< is no member of YAML 1\.2/],
    ['a name of several parts', 'namespaces: { ? [a] : b }\n', /a name must be one word/],
    ['a deep nest', `${'['.repeat(5000)}`, /nested too deep|must be sufficiently indented/],
    ['__proto__', 'namespaces: {}\n__proto__: {}\n', /^2:1: __proto__ is not a known member/],
  ];
  for (const [name, text, expected] of cases) {
    test(name, () => assert.match(faultsOf(text)[0] ?? '', expected));
  }
  test('aliases of aliases, which would be thousands of millions of entries', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const inner = level === 0 ? '{ match: a }' : `*l${level - 1}`;
      return `    x${level}: &l${level} [${Array(9).fill(inner).join(', ')}]`;
    });
    const faults = faultsOf(`namespaces:\n  a:\n${levels.join('\n')}\n`);
    assert.ok(
      faults.some((fault) => fault.includes('aliases stand for more than 100000 values')),
      faults.join('\n'),
    );
  });
});

describe('what a schema cannot say is told with its place too', () => {
  const cases: readonly [string, string, string][] = [
    [
      'no limit at all',
      'namespaces:\n  a: {}\n',
      '2:6: namespaces.a.limits must have at least one limit, or quotas a quota.',
    ],
    [
      'no window',
      'namespaces:\n  a:\n    limits: [{ algorithm: gcra, limit: 5 }]\n',
      '3:14: namespaces.a.limits[0].window is required.',
    ],
    [
      'a window that is too long',
      'namespaces: { a: { limits: [{ algorithm: gcra, limit: 5, window: 367d }] } }',
      '1:66: namespaces.a.limits[0].window must be a duration from 1ms to 366d.',
    ],
    [
      'a window of nothing',
      'namespaces: { a: { limits: [{ algorithm: gcra, limit: 5, window: 0s }] } }',
      '1:66: namespaces.a.limits[0].window must be a duration from 1ms to 366d.',
    ],
    [
      'two windows',
      'namespaces: { a: { limits: [{ algorithm: gcra, limit: 5, window: 1s, windowMs: 1000 }] } }',
      "1:66: namespaces.a.limits[0].window can't stand beside windowMs: both say the same.",
    ],
    [
      'two ends',
      loginWith('blocks: [{ match: a, until: 2027-01-01T00:00:00Z, expiresAt: 2027-01-01T00:00:00Z }]'),
      "4:33: namespaces.login.blocks[0].until can't stand beside expiresAt: both say the same.",
    ],
    [
      'a match that is there twice',
      loginWith('blocks: [{ match: a* }, { match: a** }]'),
      '4:38: namespaces.login.blocks[1].match is that of entry [0] again: a*.',
    ],
    [
      'an override of a limit that is not there',
      loginWith('overrides: [{ match: a, limits: [{ name: defalt, limit: 1 }] }]'),
      '4:46: namespaces.login.overrides[0].limits[0].name must be that of a limit or quota of the namespace\'s rule, "defalt" is none: it has "default"; did you mean "default"?',
    ],
    [
      'limits of a block',
      loginWith('blocks: [{ match: a, limits: [] }]'),
      '4:26: namespaces.login.blocks[0].limits is not a known member; known are match, until, expiresAt, reason.',
    ],
    [
      'host bits',
      loginWith('kind: ip', 'blocks: [{ match: 198.51.100.7/24 }]'),
      '5:23: namespaces.login.blocks[0].match has bits set behind its prefix: write 198.51.100.0/24, or 198.51.100.7 for this address alone.',
    ],
  ];
  for (const [name, text, expected] of cases) test(name, () => assert.deepEqual(faultsOf(text), [expected]));

  test('more than 1,000 patterns in a namespace', () => {
    const entries = Array.from({ length: 1001 }, (_, index) => `{ match: "*-${index}" }`);
    assert.deepEqual(
      faultsOf(
        loginWith(
          `blocks: [${entries.slice(0, 600).join(', ')}]`,
          `exemptions:`,
          ...entries.slice(600).map((entry) => `  - ${entry}`),
        ),
      ),
      [
        '406:18: namespaces.login.exemptions[400].match is one pattern too many: a namespace has at most 1000 with *.',
      ],
    );
  });
});

test('the place of a member that the API names is found, also where names have dots', () => {
  const { placeOf } = readRulesFile(
    'namespaces:\n  a:\n    quotas: [{ limit: 1, period: day }]\n  a.b:\n    quotas: [{ limit: 1, period: day }]\n',
  );
  assert.deepEqual(placeOf('namespaces.a.b.quotas[0].limit'), { line: 5, column: 23 });
  assert.deepEqual(placeOf('namespaces.a.quotas[0].period'), { line: 3, column: 34 });
  assert.deepEqual(placeOf('namespaces.zz'), { line: 1, column: 1 });
});
