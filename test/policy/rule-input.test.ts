import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BrumeError } from '../../src/errors/catalogue.ts';
import { BUCKET_UNITS_MAX } from '../../src/limiter/limit.ts';
import { acceptRule, parseRule, ruleToJson } from '../../src/policy/rule-input.ts';
import { brumeError } from '../support/brume-error.ts';

const LIMIT = { algorithm: 'fixed_window', limit: 10, windowMs: 60_000 };
const GCRA = { algorithm: 'gcra', limit: 10, windowMs: 60_000 };

function withLimit(members: object): unknown {
  return { limits: [{ ...LIMIT, ...members }] };
}

function burstOf(input: unknown): number | undefined {
  const [first] = parseRule(input).limits;
  return first && 'burst' in first ? first.burst : undefined;
}

describe('a rule', () => {
  it('is not accepted where its identifiers could never be addresses; a stored one stays readable', () => {
    for (const identifyBy of ['path', 'key']) {
      const rule = { kind: 'ip', identifyBy, limits: [LIMIT] };
      assert.throws(() => acceptRule(rule), brumeError('bad_request', 'rule.identifyBy'));
      assert.equal(parseRule(rule).identifyBy.by, identifyBy);
      acceptRule({ ...rule, kind: 'text' });
    }
    for (const identifyBy of ['address', 'header:X-Client']) {
      acceptRule({ kind: 'ip', identifyBy, limits: [LIMIT] });
    }
  });

  it('is completed with defaults', () => {
    assert.deepEqual(parseRule({ limits: [LIMIT] }), {
      kind: 'text',
      ipv6Prefix: 64,
      identifyBy: { by: 'address' },
      onStoreFailure: 'open',
      limits: [
        {
          name: 'default',
          mode: 'enforce',
          algorithm: 'fixed_window',
          limit: 10,
          windowMs: 60_000,
          burst: 10,
          identity: 60_000,
        },
      ],
      json: {
        kind: 'text',
        ipv6Prefix: 64,
        identifyBy: 'address',
        onStoreFailure: 'open',
        mode: 'enforce',
        limits: [{ name: 'default', mode: 'enforce', ...LIMIT }],
        quotas: [],
      },
    });
  });

  it('has a burst that equals the limit, and at least 1', () => {
    assert.equal(burstOf({ limits: [GCRA] }), 10);
    assert.equal(burstOf({ limits: [{ ...GCRA, limit: 0 }] }), 1);
    assert.equal(burstOf({ limits: [{ ...GCRA, burst: 3 }] }), 3);
  });

  it('is frozen to the bottom', () => {
    const rule = parseRule({ limits: [LIMIT], identifyBy: 'header:X-User' });
    for (const part of [rule, rule.identifyBy, rule.limits, rule.limits[0]]) assert.ok(Object.isFrozen(part));
  });

  it('survives the way to JSON and back', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,10}$/);
    const windowMs = fc.integer({ min: 1, max: 31_622_400_000 });
    const limit = fc.oneof(
      fc.record({ name, algorithm: fc.constant('fixed_window'), limit: fc.maxSafeNat(), windowMs }),
      fc.record({
        name,
        algorithm: fc.constant('sliding_log'),
        limit: fc.nat({ max: 10_000 }),
        windowMs,
      }),
      fc.record({
        name,
        algorithm: fc.constant('gcra'),
        limit: fc.maxSafeNat(),
        windowMs,
        burst: fc.integer({ min: 1, max: 100_000 }),
      }),
    );
    const mode = fc.constantFrom('enforce', 'shadow', 'off');
    const quota = fc.record({
      name,
      mode,
      limit: fc.maxSafeNat(),
      period: fc.constantFrom('hour', 'day', 'week', 'month', 'year', 'never'),
      timeZone: fc.constantFrom('UTC', 'Asia/Kolkata'),
    });
    const limits = fc.tuple(
      fc.uniqueArray(limit, { selector: ({ name }) => name, minLength: 1, maxLength: 8 }),
      mode,
    );
    const rule = fc.record({
      mode,
      quotas: fc.uniqueArray(quota, { selector: ({ name }) => name, maxLength: 3 }),
      kind: fc.constantFrom('text', 'ip'),
      ipv6Prefix: fc.integer({ min: 1, max: 128 }),
      identifyBy: fc.constantFrom('address', 'path', 'key', 'header:x-user'),
      onStoreFailure: fc.constantFrom('open', 'closed', 'local'),
      limits: limits.map(([list, own]) => list.map((one) => ({ ...one, name: `l.${one.name}`, mode: own }))),
    });
    fc.assert(
      fc.property(rule, (generated) => {
        const quotas = generated.quotas.map((one) => ({ ...one, name: `q.${one.name}` }));
        const json: unknown = JSON.parse(JSON.stringify({ ...generated, quotas }));
        assert.deepEqual(ruleToJson(parseRule(json)), json);
        assert.deepEqual(parseRule(JSON.parse(JSON.stringify(ruleToJson(parseRule(json))))), parseRule(json));
      }),
    );
  });

  it('is refused with the name of the member at fault', () => {
    const refused: [unknown, string][] = [
      [undefined, 'rule'],
      [null, 'rule'],
      [[], 'rule'],
      ['{}', 'rule'],
      [{}, 'rule.limits'],
      [{ limits: {} }, 'rule.limits'],
      [{ limits: [] }, 'rule.limits'],
      [{ limits: Array.from({ length: 17 }, (_, n) => ({ ...LIMIT, name: `l${n}` })) }, 'rule.limits'],
      [{ limits: [null] }, 'rule.limits[0]'],
      [{ limits: [LIMIT], limit: 1 }, 'rule.limit'],
      [{ limits: [LIMIT], kind: 'IP' }, 'rule.kind'],
      [{ limits: [LIMIT], ipv6Prefix: 0 }, 'rule.ipv6Prefix'],
      [{ limits: [LIMIT], ipv6Prefix: 129 }, 'rule.ipv6Prefix'],
      [{ limits: [LIMIT], ipv6Prefix: '64' }, 'rule.ipv6Prefix'],
      [{ limits: [LIMIT], onStoreFailure: 'ajar' }, 'rule.onStoreFailure'],
      [{ limits: [LIMIT], identifyBy: 'query' }, 'rule.identifyBy'],
      [{ limits: [LIMIT], identifyBy: { by: 'path' } }, 'rule.identifyBy'],
      [{ limits: [{ ...LIMIT, burst: 1 }] }, 'rule.limits[0].burst'],
      [{ limits: [{ ...GCRA, burst: 0 }] }, 'rule.limits[0].burst'],
      [{ limits: [{ ...GCRA, burst: 1.5 }] }, 'rule.limits[0].burst'],
      [withLimit({ cost: 1 }), 'rule.limits[0].cost'],
      [withLimit({ name: '' }), 'rule.limits[0].name'],
      [withLimit({ name: 'Login' }), 'rule.limits[0].name'],
      [withLimit({ name: 'Müller' }), 'rule.limits[0].name'],
      [withLimit({ name: 'a\nb' }), 'rule.limits[0].name'],
      [withLimit({ name: 'a\n' }), 'rule.limits[0].name'],
      [withLimit({ name: `a${'b'.repeat(64)}` }), 'rule.limits[0].name'],
      [withLimit({ algorithm: 'tokens' }), 'rule.limits[0].algorithm'],
      [withLimit({ algorithm: undefined }), 'rule.limits[0].algorithm'],
      [withLimit({ windowMs: 0 }), 'rule.limits[0].windowMs'],
      [withLimit({ windowMs: 31_622_400_001 }), 'rule.limits[0].windowMs'],
      [withLimit({ windowMs: 0.5 }), 'rule.limits[0].windowMs'],
      [withLimit({ algorithm: 'sliding_log', limit: 10_001 }), 'rule.limits[0].limit'],
      [{ limits: [LIMIT, { ...LIMIT, name: 'b' }] }, 'rule.limits[0].name'],
      [{ limits: [{ ...LIMIT, name: 'a' }, LIMIT] }, 'rule.limits[1].name'],
      [
        {
          limits: [
            { ...LIMIT, name: 'a' },
            { ...GCRA, name: 'a' },
          ],
        },
        'rule.limits[1].name',
      ],
    ];
    for (const [input, field] of refused) {
      assert.throws(() => parseRule(input), brumeError('bad_request', field), JSON.stringify(input));
    }
  });

  it('can be any JSON at all without another fault than bad_request', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ limits: fc.array(fc.jsonValue()) })), (input) => {
        try {
          parseRule(input);
        } catch (error) {
          assert.ok(error instanceof BrumeError);
          assert.equal(error.code, 'bad_request');
          assert.match(error.field ?? '', /^rule/);
        }
      }),
    );
  });

  it('B16: a limit of -1, 1.5, "", null or 1e400 is refused, 0 is one', () => {
    for (const text of ['-1', '1.5', '""', 'null', '1e400', '"1"', 'true', '[1]', '{}']) {
      const rule: unknown = JSON.parse(
        `{"limits":[{"algorithm":"fixed_window","limit":${text},"windowMs":1000}]}`,
      );
      assert.throws(() => parseRule(rule), brumeError('bad_request', 'rule.limits[0].limit'), text);
    }
    assert.throws(() => parseRule(withLimit({ limit: undefined })), brumeError('bad_request'));
    assert.equal(parseRule(withLimit({ limit: 0 })).limits[0]?.limit, 0);
  });

  it('B18: 9007199254740991 is a limit, 9007199254740993 is none', () => {
    const json = (limit: string): unknown =>
      JSON.parse(`{"limits":[{"algorithm":"fixed_window","limit":${limit},"windowMs":1000}]}`);
    assert.equal(parseRule(json('9007199254740991')).limits[0]?.limit, 9_007_199_254_740_991);
    for (const limit of ['9007199254740992', '9007199254740993']) {
      assert.throws(() => parseRule(json(limit)), brumeError('bad_request', 'rule.limits[0].limit'));
    }
  });
});

describe('a gcra limit whose level would not stay an exact integer', () => {
  it('is refused with what would be right', () => {
    const windowMs = 2 ** 22;
    const burstMax = BUCKET_UNITS_MAX / windowMs;
    assert.equal(burstOf({ limits: [{ ...GCRA, windowMs, burst: burstMax }] }), burstMax);
    assert.throws(
      () => parseRule({ limits: [{ ...GCRA, windowMs, burst: burstMax + 1 }] }),
      (error) => {
        brumeError('bad_request', 'rule.limits[0].burst')(error);
        assert.match(
          String(error),
          new RegExp(`a burst of at most ${burstMax}, or a window of at most \\d+ ms`),
        );
        return true;
      },
    );
  });

  it('is refused by its limit where the burst comes from there', () => {
    const limits = [{ ...GCRA, limit: Number.MAX_SAFE_INTEGER, windowMs: 2 }];
    assert.throws(() => parseRule({ limits }), brumeError('bad_request', 'rule.limits[0].limit'));
  });
});

describe('identifyBy', () => {
  const parse = (identifyBy: string) => parseRule({ limits: [LIMIT], identifyBy }).identifyBy;

  it('takes address, path, key and the name of a header, in any case', () => {
    assert.deepEqual(parse('address'), { by: 'address' });
    assert.deepEqual(parse('path'), { by: 'path' });
    assert.deepEqual(parse('key'), { by: 'key' });
    assert.deepEqual(parse('header:X-User-Id'), { by: 'header', header: 'x-user-id' });
  });

  it('refuses what is no header name', () => {
    for (const name of ['', ' ', 'a b', 'x:y', 'é', 'a\r\nb', 'a'.repeat(129), '(x)']) {
      assert.throws(() => parse(`header:${name}`), brumeError('bad_request', 'rule.identifyBy'), name);
    }
  });

  it("refuses Brume's own headers, secrets and hop-by-hop headers", () => {
    const names = [
      'X-Brume-Key',
      'x-brume-anything',
      'Authorization',
      'Cookie',
      'Connection',
      'TE',
      'Upgrade',
    ];
    for (const name of [...names, 'Proxy-Authorization', 'Transfer-Encoding', 'Keep-Alive', 'Trailer']) {
      assert.throws(() => parse(`header:${name}`), brumeError('bad_request', 'rule.identifyBy'), name);
    }
  });
});
