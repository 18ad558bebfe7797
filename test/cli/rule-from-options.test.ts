import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Rule } from '../../src/client/resources.ts';
import { always, socketServer } from '../client/socket-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runWith } from './fake-terminal.ts';

const GCRA = {
  kind: 'text',
  ipv6Prefix: 64,
  identifyBy: 'address',
  onStoreFailure: 'closed',
  limits: [{ name: 'default', algorithm: 'gcra', limit: 10, windowMs: 60_000, burst: 20 }],
} satisfies Rule;
const SEVERAL = {
  limits: [
    { name: 'minute', algorithm: 'fixed_window', limit: 60, windowMs: 60_000 },
    { name: 'daily', algorithm: 'fixed_window', limit: 5000, windowMs: 86_400_000 },
  ],
} satisfies Rule;

/** The rule that a command sends, if the namespace has `current`; undefined if it sends none. */
async function sentRule(t: TestContext, current: Rule, args: readonly string[], input = '') {
  let rule: unknown;
  const socket = await socketServer(t, async (request, response) => {
    const body = await textOf(request);
    if (body !== '') ({ rule } = JSON.parse(body));
    response.end(JSON.stringify({ id: 'ns_1', name: 'n', version: 1, updatedAt: '', rule: rule ?? current }));
  });
  const { exitCode, stderr } = await runWith(['namespace', ...args, '--socket', socket], { input });
  return { rule, exitCode, stderr };
}

test('create: the common case', async (t) => {
  const flags =
    '--limit 10 --window 60s --algorithm gcra --burst 20 --identify-by address --kind ip --on-store-failure closed';
  const { rule } = await sentRule(t, GCRA, ['create', 'p', 'n', ...flags.split(' '), '--ipv6-prefix', '56']);
  assert.deepEqual(rule, {
    kind: 'ip',
    ipv6Prefix: 56,
    identifyBy: 'address',
    onStoreFailure: 'closed',
    limits: [{ algorithm: 'gcra', limit: 10, windowMs: 60_000, burst: 20 }],
  });
});

test('create: what is not given is left to the server; the algorithm is fixed_window', async (t) => {
  const { rule } = await sentRule(t, GCRA, ['create', 'p', 'n', '--limit', '0', '--window', '500ms']);
  assert.deepEqual(rule, { limits: [{ algorithm: 'fixed_window', limit: 0, windowMs: 500 }] });
});

test('create: several limits', async (t) => {
  const add = [
    '--add',
    'name=hourly,limit=1000,window=1h',
    '--add',
    'window=1d,burst=5,name=d,limit=9,algorithm=gcra',
  ];
  const alone = await sentRule(t, GCRA, ['create', 'p', 'n', ...add]);
  const added = [
    { name: 'hourly', algorithm: 'fixed_window', limit: 1000, windowMs: 3_600_000 },
    { name: 'd', algorithm: 'gcra', limit: 9, windowMs: 86_400_000, burst: 5 },
  ];
  assert.deepEqual(alone.rule, { limits: added });
  const both = await sentRule(t, GCRA, ['create', 'p', 'n', '--limit', '1', '--window', '1s', ...add]);
  assert.deepEqual(both.rule, {
    limits: [{ name: 'default', algorithm: 'fixed_window', limit: 1, windowMs: 1000 }, ...added],
  });
});

test('create: a rule out of a file or from standard input goes to the server as it is', async (t) => {
  const path = join(temporaryDirectory(t), 'rule.json');
  writeFileSync(path, JSON.stringify(SEVERAL));
  assert.deepEqual((await sentRule(t, GCRA, ['create', 'p', 'n', '--rule', path])).rule, SEVERAL);
  assert.deepEqual((await sentRule(t, GCRA, ['create', 'p', 'n', '--rule', '-'], '{"any":1}')).rule, {
    any: 1,
  });
});

test('update: what is not named stays', async (t) => {
  const limit = GCRA.limits[0];
  const closed = await sentRule(t, GCRA, ['update', 'p', 'n', '--limit', '5']);
  assert.deepEqual(closed.rule, { ...GCRA, limits: [{ ...limit, limit: 5 }] });
  const open = await sentRule(t, GCRA, ['update', 'p', 'n', '--on-store-failure', 'open']);
  assert.deepEqual(open.rule, { ...GCRA, onStoreFailure: 'open' });
});

test('update: a burst goes when an algorithm comes that has none, and stays with one that has', async (t) => {
  const { rule } = await sentRule(t, GCRA, ['update', 'p', 'n', '--algorithm', 'sliding_log']);
  const limits = [{ name: 'default', algorithm: 'sliding_log', limit: 10, windowMs: 60_000 }];
  assert.deepEqual(rule, { ...GCRA, limits });
  const kept = await sentRule(t, GCRA, ['update', 'p', 'n', '--algorithm', 'token_bucket']);
  assert.deepEqual(kept.rule, { ...GCRA, limits: [{ ...GCRA.limits[0], algorithm: 'token_bucket' }] });
});

test('a limit of concurrency has a ttl in place of a window', async (t) => {
  const limit = { algorithm: 'concurrency', limit: 3, ttlMs: 30_000 };
  const flags = '--limit 3 --algorithm concurrency --ttl 30s'.split(' ');
  assert.deepEqual((await sentRule(t, GCRA, ['create', 'p', 'n', ...flags])).rule, { limits: [limit] });
  const add = 'name=jobs,limit=3,ttl=30s,algorithm=concurrency';
  assert.deepEqual((await sentRule(t, GCRA, ['create', 'p', 'n', '--add', add])).rule, {
    limits: [{ name: 'jobs', ...limit }],
  });
  const changed = await sentRule(t, GCRA, ['update', 'p', 'n', ...flags]);
  assert.deepEqual(changed.rule, { ...GCRA, limits: [{ name: 'default', ...limit }] });
  const back = ['update', 'p', 'n', '--algorithm', 'gcra', '--window', '1s'];
  assert.deepEqual((await sentRule(t, { limits: [limit] }, back)).rule, {
    limits: [{ algorithm: 'gcra', limit: 3, windowMs: 1000 }],
  });
});

test('update: --add replaces the limit of its name, --remove takes one away', async (t) => {
  const [minute, daily] = SEVERAL.limits;
  const replaced = await sentRule(t, SEVERAL, ['update', 'p', 'n', '--add', 'name=daily,limit=1,window=1d']);
  assert.deepEqual(replaced.rule, { limits: [minute, { ...daily, limit: 1 }] });
  const removed = await sentRule(t, SEVERAL, ['update', 'p', 'n', '--remove', 'minute']);
  assert.deepEqual(removed.rule, { limits: [daily] });
});

test('update: --rule replaces the whole rule', async (t) => {
  const { rule } = await sentRule(t, GCRA, ['update', 'p', 'n', '--rule', '-'], JSON.stringify(SEVERAL));
  assert.deepEqual(rule, SEVERAL);
});

test('what can’t be understood is exit code 2, says why, and nothing is sent', async (t) => {
  const cases: [args: string, message: RegExp][] = [
    ['create p n', /What is limited\?/],
    ['create p n --kind ip', /What is limited\?/],
    ['create p n --limit 1', /both --limit and --window/],
    ['create p n --limit 1e3 --window 1s', /--limit.*whole number/],
    ['create p n --limit -1 --window 1s', /--limit.*whole number/],
    ['create p n --limit 9007199254740993 --window 1s', /--limit.*whole number/],
    ['create p n --limit 1 --window 60', /--window.*500ms/],
    ['create p n --limit 1 --window 1s --algorithm leaky', /--algorithm.*gcra/],
    ['create p n --limit 1 --algorithm concurrency --window 1s', /both --limit and --ttl/],
    ['create p n --add name=a,limit=1,algorithm=concurrency', /ttl is missing/],
    ['create p n --add limit=1,window=1s', /name is missing/],
    ['create p n --add name=a,limit=1', /window is missing/],
    ['create p n --add name=a,limit=x,window=1s', /limit is not a whole number/],
    ['create p n --add name=a,limit=1,window=1', /window is not a duration/],
    ['create p n --add name=a,limit=1,window=1s,cost=2', /"cost" is not one of/],
    ['create p n --add name=a,name=b,limit=1,window=1s', /name is there twice/],
    ['create p n --add name=,limit=1,window=1s', /name has no value/],
    ['create p n --rule /nonexistent.json', /\/nonexistent\.json can't be read: ENOENT/],
    ['create p n --rule -', /not JSON/],
    ['create p n --rule - --limit 1', /cannot be used with/],
    ['update p n --limit 1', /several limits/],
    ['update p n --remove hourly', /no limit or quota of this name/],
  ];
  for (const [args, message] of cases) {
    const { rule, exitCode, stderr } = await sentRule(t, SEVERAL, args.split(' '));
    assert.equal(exitCode, 2, args);
    assert.match(stderr, message);
    assert.equal(rule, undefined);
  }
});

test('a rule that the server refuses is exit code 1 and names the member', async (t) => {
  const problem = {
    status: 400,
    code: 'bad_request',
    title: 'x',
    detail: 'is for gcra only',
    field: 'rule.limits[0].burst',
  };
  const socket = await socketServer(t, always(400, problem));
  const args = [
    'namespace',
    'create',
    'p',
    'n',
    '--limit',
    '1',
    '--window',
    '1s',
    '--burst',
    '2',
    '--socket',
    socket,
  ];
  const { exitCode, stderr, stdout } = await runWith(args);
  assert.equal(exitCode, 1);
  assert.equal(stderr, 'brume: rule.limits[0].burst: is for gcra only');
  assert.equal(stdout, '');
});
