import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { Rule } from '../../src/client/resources.ts';
import { parseRule } from '../../src/policy/rule-input.ts';
import {
  ALGORITHM_WORDS,
  ANCHOR_WORDS,
  CONCURRENCY_WORD,
  MODE_WORDS,
  PERIOD_WORDS,
} from '../../src/policy/rule-words.ts';
import { socketServer } from '../client/socket-server.ts';
import { runWith } from './fake-terminal.ts';

const EVERY_ANCHOR = { minute: '30', time: '02:00', weekday: 'sunday', day: '31', month: '4' };

/** The rule that a command sends, if the namespace has `current`. */
async function sentRule(t: TestContext, args: readonly string[], current: Rule = {}) {
  let rule: unknown;
  const socket = await socketServer(t, async (request, response) => {
    const body = await textOf(request);
    if (body !== '') ({ rule } = JSON.parse(body));
    response.end(JSON.stringify({ id: 'ns_1', name: 'n', version: 1, updatedAt: '', rule: rule ?? current }));
  });
  const { exitCode, stderr } = await runWith(['namespace', ...args, '--socket', socket]);
  return { rule, exitCode, stderr };
}

test('every word that is offered makes a rule that is taken', async (t) => {
  for (const mode of MODE_WORDS) {
    for (const algorithm of ALGORITHM_WORDS) {
      const span = algorithm === CONCURRENCY_WORD ? 'ttl=1s' : 'window=1s';
      const add = `name=a,limit=1,${span},algorithm=${algorithm},mode=${mode}`;
      parseRule((await sentRule(t, ['create', 'p', 'n', '--add', add, '--mode', mode])).rule);
    }
  }
  for (const period of PERIOD_WORDS) {
    const anchor = ANCHOR_WORDS[period].map((member) => `,${member}=${EVERY_ANCHOR[member]}`).join('');
    const quota = `5/${period},zone=Europe/Paris${anchor},name=q,mode=shadow`;
    parseRule((await sentRule(t, ['create', 'p', 'n', '--quota', quota])).rule);
  }
});

describe('a quota', () => {
  const paris = { limit: 20_000, period: 'month', timeZone: 'Europe/Paris', anchor: { day: 31 } };
  const cases: [spec: string, quota: unknown][] = [
    ['20000/month', { limit: 20_000, period: 'month' }],
    ['0/never', { limit: 0, period: 'never' }],
    ['20000/month,zone=Europe/Paris,day=31', paris],
    ['limit=20000,period=month,zone=Europe/Paris,day=31', paris],
    ['9007199254740991/hour,minute=30', { limit: 2 ** 53 - 1, period: 'hour', anchor: { minute: 30 } }],
    [
      'name=fiscal,period=year,limit=1,month=4,day=6,time=02:30,mode=shadow',
      {
        name: 'fiscal',
        limit: 1,
        period: 'year',
        mode: 'shadow',
        anchor: { month: 4, day: 6, time: '02:30' },
      },
    ],
    ['7/week,weekday=sunday,name=w', { name: 'w', limit: 7, period: 'week', anchor: { weekday: 'sunday' } }],
  ];
  for (const [spec, quota] of cases) {
    test(spec, async (t) => {
      const { rule } = await sentRule(t, ['create', 'p', 'n', '--quota', spec]);
      assert.deepEqual(rule, { quotas: [quota] });
    });
  }
});

test('limits and quotas go together', async (t) => {
  const args = '--limit 10 --window 1s --quota 500/day --quota 9000/month --mode shadow'.split(' ');
  assert.deepEqual((await sentRule(t, ['create', 'p', 'n', ...args])).rule, {
    mode: 'shadow',
    limits: [{ algorithm: 'fixed_window', limit: 10, windowMs: 1000 }],
    quotas: [
      { limit: 500, period: 'day' },
      { limit: 9000, period: 'month' },
    ],
  });
});

describe('update', () => {
  const limit = { name: 'default', algorithm: 'fixed_window', limit: 10, windowMs: 1000 };
  const month = { name: 'month', limit: 5, period: 'month' };
  const day = { name: 'day', limit: 3, period: 'day' };
  const current: Rule = { mode: 'enforce', limits: [limit], quotas: [month, day] };
  const cases: [args: string, changed: Rule][] = [
    ['--quota 9/month', { ...current, quotas: [day, { limit: 9, period: 'month' }] }],
    [
      '--quota 9/month,name=trial,mode=shadow',
      { ...current, quotas: [month, day, { name: 'trial', limit: 9, period: 'month', mode: 'shadow' }] },
    ],
    ['--remove day', { ...current, quotas: [month] }],
    ['--remove default', { ...current, limits: [] }],
    ['--limit 20', { ...current, limits: [{ ...limit, limit: 20 }] }],
    ['--mode off', { ...current, mode: 'off' }],
    [
      '--add name=day,limit=1,window=1d',
      {
        ...current,
        limits: [limit, { name: 'day', algorithm: 'fixed_window', limit: 1, windowMs: 86_400_000 }],
        quotas: [month],
      },
    ],
  ];
  for (const [args, changed] of cases) {
    test(args, async (t) => {
      assert.deepEqual((await sentRule(t, ['update', 'p', 'n', ...args.split(' ')], current)).rule, changed);
    });
  }

  test('a rule of quotas alone gets a limit', async (t) => {
    const { rule } = await sentRule(t, ['update', 'p', 'n', '--limit', '1', '--window', '1s'], {
      quotas: [day],
    });
    const limits = [{ algorithm: 'fixed_window', limit: 1, windowMs: 1000 }];
    assert.deepEqual(rule, { quotas: [day], limits });
  });
});

test('a quota that can’t be understood is exit code 2, says why, and nothing is sent', async (t) => {
  const cases: [args: string, message: RegExp][] = [
    ['--quota 20000', /--quota "20000": "20000" is not one of name, limit, period, zone/],
    ['--quota limit=5', /period is missing/],
    ['--quota period=day', /limit is missing/],
    ['--quota x/day', /limit is not a whole number/],
    ['--quota 5/', /period has no value/],
    ['--quota 9007199254740993/day', /limit is not a whole number/],
    ['--quota 5/day,period=month', /period is there twice/],
    ['--quota 5/month,day=last', /day is not a whole number/],
    ['--quota 5/month,tz=UTC', /"tz" is not one of/],
    ['--quota 5/day --rule -', /cannot be used with/],
    ['--quota 5/day --mode trial', /--mode.*shadow/],
  ];
  for (const [args, message] of cases) {
    const { rule, exitCode, stderr } = await sentRule(t, ['create', 'p', 'n', ...args.split(' ')]);
    assert.equal(exitCode, 2, args);
    assert.match(stderr, message);
    assert.equal(rule, undefined);
  }
});
