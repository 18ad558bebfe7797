import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { LIMIT_MAX } from '../../../src/limiter/limit.ts';
import { type ExceptionContext, parseException } from '../../../src/policy/exceptions/exception-input.ts';
import { limitsText, parseLimitsText } from '../../../src/policy/exceptions/limits-text.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';
import { brumeError } from '../../support/brume-error.ts';

const NOW_MS = Date.parse('2026-11-29T12:00:00Z');
const RULE = parseRule({
  limits: [
    { name: 'second', algorithm: 'token_bucket', limit: 5, windowMs: 1000 },
    { name: 'hour', algorithm: 'sliding_log', limit: 100, windowMs: 3_600_000 },
    { name: 'places', algorithm: 'concurrency', limit: 3, ttlMs: 5000 },
  ],
  quotas: [{ limit: 1000, period: 'month' }],
});
const ONE = parseRule({ limits: [{ algorithm: 'fixed_window', limit: 5, windowMs: 1000 }] });

function parse(input: unknown, context: Partial<ExceptionContext> = {}) {
  return parseException(input, { kind: 'override', rule: RULE, nowMs: NOW_MS, ...context });
}

function override(limits: unknown, context: Partial<ExceptionContext> = {}) {
  return parse({ match: 'bob', limits }, context);
}

function fault(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BrumeError) return `${error.field}: ${error.detail}`;
    throw error;
  }
  return assert.fail('it was taken');
}

describe('the JSON of an exception', () => {
  it('needs a match and nothing more, for a block and for an exemption', () => {
    for (const kind of ['block', 'exemption'] as const) {
      assert.deepEqual(parse({ match: 'bob' }, { kind }), {
        kind,
        form: 'exact',
        match: 'bob',
        limits: null,
        reason: '',
        expiresAtMs: null,
      });
      assert.match(
        fault(() => parse({ match: 'bob', limits: [] }, { kind })),
        /^limits: limits is for an override/,
      );
    }
  });

  it('reads its match by the kind of the namespace', () => {
    const rule = parseRule({ kind: 'ip', limits: [{ algorithm: 'gcra', limit: 5, windowMs: 1000 }] });
    assert.equal(parse({ match: '2001:DB8::/32' }, { kind: 'block', rule }).form, 'cidr');
    assert.throws(() => parse({ match: 'bob' }, { kind: 'block', rule }), brumeError('bad_request', 'match'));
  });

  it('ends at a time that is still to come', () => {
    const block = { kind: 'block' } as const;
    const at = (expiresAt: unknown, context: Partial<ExceptionContext> = block) =>
      parse({ match: 'bob', expiresAt }, context).expiresAtMs;
    assert.equal(at(null), null);
    assert.equal(at('2026-11-29T13:30:00+01:00'), NOW_MS + 30 * 60_000);
    assert.equal(at('2026-11-29T12:00:00.001Z'), NOW_MS + 1);
    for (const bad of [
      '2026-11-29T12:00:00Z',
      '2026-11-30',
      '2027-02-30T00:00:00Z',
      'tomorrow',
      '',
      1,
      '2026-12-01T00:00:00',
    ]) {
      assert.throws(() => at(bad), brumeError('bad_request', 'expiresAt'), String(bad));
    }
    assert.equal(
      at('2020-01-01T00:00:00Z', { ...block, nowMs: undefined }),
      Date.parse('2020-01-01T00:00:00Z'),
    );
  });

  it('has a reason of up to 500 characters, none of which controls anything', () => {
    const block = { kind: 'block' } as const;
    for (const reason of ['', '🙂'.repeat(500), 'ticket "4711" – Łódź']) {
      assert.equal(parse({ match: 'bob', reason }, block).reason, reason);
    }
    for (const reason of ['x'.repeat(501), 'a\nb', '\u009b', '\ud800', null, 5]) {
      assert.throws(() => parse({ match: 'bob', reason }, block), brumeError('bad_request', 'reason'));
    }
  });

  it('names the member at fault, under the name that the caller gives it', () => {
    const cases: [unknown, string][] = [
      [{}, 'match'],
      [{ match: 5, limits: [{ limit: 1 }] }, 'match'],
      [{ match: 'bob' }, 'limits'],
      [{ match: 'bob', limits: [] }, 'limits'],
      [{ match: 'bob', limits: [{ name: 'hour', limt: 5 }] }, 'limits[0].limt'],
      [{ match: 'bob', until: 'x', limits: [{ name: 'hour', limit: 5 }] }, 'until'],
    ];
    for (const [input, field] of cases) {
      assert.throws(() => parse(input), brumeError('bad_request', field), field);
      const at = `namespaces.login.overrides[3].${field}`;
      assert.throws(
        () => parse(input, { at: 'namespaces.login.overrides[3]' }),
        brumeError('bad_request', at),
        at,
      );
    }
    for (const input of [null, [], 'bob', 5]) assert.throws(() => parse(input), brumeError('bad_request'));
  });
});

describe('the limits of an override', () => {
  it('name limits and quotas of the rule, which a rule with only one may leave out', () => {
    assert.deepEqual(override([{ limit: 15 }], { rule: ONE }).limits, [{ name: 'default', limit: 15 }]);
    assert.deepEqual(
      override([
        { name: 'month', limit: 5 },
        { name: 'second', burst: 9, mode: 'shadow' },
      ]).limits,
      [
        { name: 'second', burst: 9, mode: 'shadow' },
        { name: 'month', limit: 5 },
      ],
    );
    assert.equal(
      fault(() => override([{ limit: 15 }])),
      'limits[0].name: limits[0].name is required, for the rule of this namespace has "second", "hour", "places", "month".',
    );
    assert.match(
      fault(() => override([{ name: 'huor', limit: 1 }])),
      /"huor" is none: it has "second", "hour", "places", "month"; did you mean "hour"\?$/,
    );
    assert.throws(
      () =>
        override([
          { name: 'hour', limit: 1 },
          { name: 'hour', mode: 'off' },
        ]),
      brumeError('bad_request', 'limits[1].name'),
    );
  });

  it('say something, and only what the rule with it could say itself', () => {
    const cases: [object, string][] = [
      [{ name: 'hour' }, 'limits[0]'],
      [{ name: 'hour', burst: 5 }, 'limits[0].burst'],
      [{ name: 'places', burst: 5 }, 'limits[0].burst'],
      [{ name: 'month', burst: 5 }, 'limits[0].burst'],
      [{ name: 'hour', limit: 10_001 }, 'limits[0].limit'],
      [{ name: 'second', limit: LIMIT_MAX }, 'limits[0].limit'],
      [{ name: 'second', burst: LIMIT_MAX }, 'limits[0].burst'],
      [{ name: 'second', burst: 0 }, 'limits[0].burst'],
      [{ name: 'hour', mode: 'on' }, 'limits[0].mode'],
      [{ name: 'hour', windowMs: 5 }, 'limits[0].windowMs'],
    ];
    for (const [limit, field] of cases) {
      assert.throws(() => override([limit]), brumeError('bad_request', field), JSON.stringify(limit));
    }
    assert.deepEqual(override([{ name: 'second', limit: LIMIT_MAX, burst: 5 }]).limits, [
      { name: 'second', limit: LIMIT_MAX, burst: 5 },
    ]);
  });

  it('B16: are whole numbers from 0 on, and 0 is taken for what it is', () => {
    assert.deepEqual(override([{ limit: 0 }], { rule: ONE }).limits, [{ name: 'default', limit: 0 }]);
    for (const limit of [-1, 1.5, '', null, Number('1e400'), '5', true, [5], -0.5, Number.NaN]) {
      assert.throws(
        () => override([{ limit }], { rule: ONE }),
        brumeError('bad_request', 'limits[0].limit'),
        String(limit),
      );
    }
  });

  it('B18: stay numbers, exact to the last one, also as text', () => {
    const limits = override(JSON.parse(`[{"limit":9007199254740991}]`), { rule: ONE }).limits ?? [];
    assert.deepEqual(limits, [{ name: 'default', limit: 9007199254740991 }]);
    assert.equal(limitsText(limits), '[{"name":"default","limit":9007199254740991}]');
    assert.deepEqual(parseLimitsText(limitsText(limits)), limits);
    for (const text of ['9007199254740992', '9007199254740993', '"15"']) {
      assert.throws(
        () => override(JSON.parse(`[{"limit":${text}}]`), { rule: ONE }),
        brumeError('bad_request', 'limits[0].limit'),
      );
    }
  });
});
