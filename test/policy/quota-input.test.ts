import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRule, ruleToJson } from '../../src/policy/rule-input.ts';
import { brumeError } from '../support/brume-error.ts';

const LIMIT = { algorithm: 'fixed_window', limit: 10, windowMs: 60_000 };
const GCRA = { algorithm: 'gcra', limit: 10, windowMs: 60_000 };

describe('a quota', () => {
  const quota = (members: object) => ({ quotas: [{ limit: 100, period: 'month', ...members }] });

  it('takes its period for a name, and UTC and the period’s first instant where nothing else is said', () => {
    const [only] = parseRule(quota({})).limits;
    assert.ok(only?.algorithm === 'quota');
    assert.equal(only.name, 'month');
    assert.deepEqual(only.calendar.spec, {
      period: 'month',
      timeZone: 'UTC',
      anchor: { minute: 0, weekday: 1, day: 1, month: 1 },
    });
  });

  it('stands beside limits, and a rule may have quotas only', () => {
    const rule = parseRule({ limits: [LIMIT, { ...GCRA, name: 'burst' }].slice(0, 1), ...quota({}) });
    assert.deepEqual(
      rule.limits.map(({ name }) => name),
      ['default', 'month'],
    );
    assert.deepEqual(parseRule(ruleToJson(rule)), rule);
  });

  const refused: [string, object, string][] = [
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'rule.quotas[0].timeZone'],
    ['an anchor of another period', { anchor: { weekday: 'monday' } }, 'rule.quotas[0].anchor.weekday'],
    ['a day that no month has', { anchor: { day: 32 } }, 'rule.quotas[0].anchor.day'],
    ['a time that no day has', { anchor: { time: '24:00' } }, 'rule.quotas[0].anchor.time'],
    ['an unknown period', { period: 'fortnight' }, 'rule.quotas[0].period'],
    [
      'an anchor of a period without one',
      { period: 'never', anchor: { day: 1 } },
      'rule.quotas[0].anchor.day',
    ],
    ['a limit that is no integer', { limit: 1.5 }, 'rule.quotas[0].limit'],
    ['a window', { windowMs: 1000 }, 'rule.quotas[0].windowMs'],
  ];
  for (const [title, members, field] of refused) {
    it(`is refused with ${title}, by the member's name`, () => {
      assert.throws(() => parseRule(quota(members)), brumeError('bad_request', field));
    });
  }

  it('cannot share a name with a limit', () => {
    const input = { limits: [{ ...LIMIT, name: 'month' }], ...quota({}) };
    assert.throws(() => parseRule(input), brumeError('bad_request', 'rule.quotas[0].name'));
  });

  it('or a limit there must be', () => {
    assert.throws(() => parseRule({}), brumeError('bad_request', 'rule.limits'));
    assert.throws(() => parseRule({ limits: [], quotas: [] }), brumeError('bad_request', 'rule.limits'));
  });
});

describe('the mode of a rule and of its limits', () => {
  const two = {
    limits: [
      { ...LIMIT, name: 'a' },
      { ...LIMIT, name: 'b', mode: 'shadow' },
    ],
  };
  const modes = (input: unknown) => parseRule(input).limits.map(({ name, mode }) => [name, mode]);

  it('is enforced where nothing is said', () =>
    assert.deepEqual(modes(two), [
      ['a', 'enforce'],
      ['b', 'shadow'],
    ]));

  it('is the weaker of the two', () => {
    assert.deepEqual(modes({ ...two, mode: 'shadow' }), [
      ['a', 'shadow'],
      ['b', 'shadow'],
    ]);
    assert.deepEqual(modes({ ...two, mode: 'off' }), []);
    assert.deepEqual(modes({ limits: [{ ...LIMIT, mode: 'off' }], quotas: [{ limit: 1, period: 'day' }] }), [
      ['day', 'enforce'],
    ]);
  });

  it('leaves what is off in the JSON, and checks it all the same', () => {
    assert.equal(ruleToJson(parseRule({ ...two, mode: 'off' })).limits?.length, 2);
    const faulty = { limits: [{ ...LIMIT, mode: 'off', burst: 3 }] };
    assert.throws(() => parseRule(faulty), brumeError('bad_request', 'rule.limits[0].burst'));
  });
});
