import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMIT_MAX } from '../../../src/limiter/limit.ts';
import { limitsText, parseLimitsText } from '../../../src/policy/exceptions/limits-text.ts';
import { overriddenRule } from '../../../src/policy/exceptions/overridden-rule.ts';
import type { LimitOverride } from '../../../src/policy/exceptions/rule-exception.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';

const BUCKET = { name: 'second', algorithm: 'token_bucket', limit: 5, windowMs: 1000 };
const WINDOW = { name: 'second', algorithm: 'fixed_window', limit: 5, windowMs: 1000 };
const MONTH = { name: 'month', limit: 1000, period: 'month', timeZone: 'Europe/Paris' };
const RULE = parseRule({ kind: 'ip', limits: [BUCKET], quotas: [MONTH], onStoreFailure: 'closed' });

describe('a rule under an override', () => {
  it('has the numbers of the override where it says something, and its own elsewhere', () => {
    const { rule, withoutEffect } = overriddenRule(RULE, [
      { name: 'second', burst: 20 },
      { name: 'month', limit: 5 },
    ]);
    assert.deepEqual(withoutEffect, []);
    assert.deepEqual(
      rule,
      parseRule({
        kind: 'ip',
        limits: [{ ...BUCKET, burst: 20 }],
        quotas: [{ ...MONTH, limit: 5 }],
        onStoreFailure: 'closed',
      }),
    );
    for (const part of [rule, rule.limits, ...rule.limits]) assert.ok(Object.isFrozen(part));
  });

  it('B18: base 5 with a bonus of 10 is 15, a number', () => {
    const [stored] = parseLimitsText('[{"name":"second","limit":15}]');
    assert.equal(overriddenRule(RULE, stored === undefined ? [] : [stored]).rule.limits[0]?.limit, 15);
  });

  it('has a burst that grows with the limit unless the rule or the override says one', () => {
    const burst = (base: object, said: object): unknown => {
      const { rule } = overriddenRule(parseRule({ limits: [{ ...BUCKET, ...base }] }), [
        { name: 'second', ...said },
      ]);
      return Reflect.get(rule.limits[0] ?? {}, 'burst');
    };
    assert.equal(burst({}, { limit: 50 }), 50);
    assert.equal(burst({ burst: 7 }, { limit: 50 }), 7);
    assert.equal(burst({ burst: 7 }, { limit: 50, burst: 9 }), 9);
  });

  it('B16: denies all where the override says 0', () => {
    assert.equal(overriddenRule(RULE, [{ name: 'second', limit: 0 }]).rule.limits[0]?.limit, 0);
  });

  it('can have limits switched off or on trial by the override', () => {
    const names = (mode: 'off' | 'shadow') =>
      overriddenRule(RULE, [{ name: 'second', mode }]).rule.limits.map(
        (limit) => `${limit.name} ${limit.mode}`,
      );
    assert.deepEqual(names('off'), ['month enforce']);
    assert.deepEqual(names('shadow'), ['second shadow', 'month enforce']);
  });

  it('is itself where nothing of the override has a place in it', () => {
    assert.equal(overriddenRule(RULE, []).rule, RULE);
    assert.deepEqual(overriddenRule(RULE, [{ name: 'gone', limit: 1 }]), {
      rule: RULE,
      withoutEffect: [{ name: 'gone', members: [] }],
    });
  });

  it('leaves out what no longer fits after a change of the rule, and keeps the rest', () => {
    const changed = parseRule({ limits: [WINDOW] });
    const { rule, withoutEffect } = overriddenRule(changed, [
      { name: 'second', limit: 50, burst: 70 },
      { name: 'month', limit: 5 },
    ]);
    assert.equal(rule.limits[0]?.limit, 50);
    assert.deepEqual(withoutEffect, [
      { name: 'month', members: [] },
      { name: 'second', members: ['burst'] },
    ]);
    const log = parseRule({ limits: [{ ...WINDOW, algorithm: 'sliding_log' }] });
    assert.deepEqual(overriddenRule(log, [{ name: 'second', limit: 10_001 }]), {
      rule: log,
      withoutEffect: [{ name: 'second', members: ['limit'] }],
    });
  });

  it('is a frozen rule for whatever a store may hold, and never throws', () => {
    const member = fc.oneof(
      fc.integer(),
      fc.constantFrom(0, 1, LIMIT_MAX, LIMIT_MAX + 1, 1.5, '5', null, 'off', 'shadow', {}),
    );
    const override = fc.record(
      { name: fc.constantFrom('second', 'month', 'gone'), limit: member, burst: member, mode: member },
      { requiredKeys: ['name'] },
    );
    fc.assert(
      fc.property(
        fc.array(override, { maxLength: 4 }),
        fc.constantFrom(BUCKET, WINDOW),
        (overrides, limit) => {
          const limits = parseLimitsText(limitsText(overrides as unknown as LimitOverride[]));
          const base = parseRule({ limits: [limit], quotas: [MONTH] });
          const { rule } = overriddenRule(base, limits);
          assert.ok(Object.isFrozen(rule));
          assert.deepEqual(parseRule(rule.json), rule);
        },
      ),
    );
    for (const text of ['', '{', 'null', '5', '[null, 5, {"limit": 5}]'])
      assert.deepEqual(parseLimitsText(text), []);
  });
});
