import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, BLOCK, fakeBrume, isRivals, NO_RIVALS } from './fake-brume.ts';
import { runWith } from './fake-terminal.ts';

test('add sends what was said, and tells what holds now', async (t) => {
  const { calls, run } = await fakeBrume(t, (asked) => (isRivals(asked) ? NO_RIVALS : [201, BLOCK]));
  const { exitCode, stdout, stderr } = await run([
    'block',
    'add',
    'login',
    '203.0.113.7',
    '--reason',
    'abuse',
  ]);
  assert.deepEqual([exitCode, stderr], [0, '']);
  assert.equal(stdout, '203.0.113.7 is blocked in login of shop until it is removed.');
  const [add, rivals] = calls;
  assert.equal(add?.url.pathname, '/v1/projects/shop/namespaces/login/blocks');
  assert.deepEqual(add?.body, { match: '203.0.113.7', reason: 'abuse', replace: false });
  assert.equal(rivals?.url.pathname, '/v1/projects/shop/namespaces/login/blocks/ex_1/rivals');
});

test('--for and --until say when it ends, and the answer how long that is', async (t) => {
  const { calls, run } = await fakeBrume(t, (asked) =>
    isRivals(asked) ? NO_RIVALS : [201, { ...BLOCK, expiresAt: Object(asked.body).expiresAt }],
  );
  const beforeMs = Date.now();
  const { stdout } = await run([
    'block',
    'add',
    'login',
    'x',
    '--for',
    '2h',
    '--replace',
    '--project',
    'other',
  ]);
  const { expiresAt, replace } = Object(calls[0]?.body);
  assert.equal(calls[0]?.url.pathname, '/v1/projects/other/namespaces/login/blocks');
  const lengthMs = Date.parse(expiresAt) - beforeMs;
  assert.ok(lengthMs >= 7_200_000 && lengthMs < 7_260_000 && replace === true);
  assert.match(
    stdout,
    /^203\.0\.113\.7 is blocked in login of other until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d \(in (1 h 59 min|2 h)\)\.$/,
  );
  await run(['exempt', 'add', 'login', 'x', '--until', '2030-01-01T00:00:00Z']);
  assert.equal(Object(calls[2]?.body).expiresAt, '2030-01-01T00:00:00Z');
});

test('an override says its numbers by --limit, or by --set for each of several', async (t) => {
  const override = { ...BLOCK, kind: 'override', limits: [{ name: 'minute', limit: 600, burst: 20 }] };
  const { calls, run } = await fakeBrume(t, (asked) => (isRivals(asked) ? NO_RIVALS : [201, override]));
  const { stdout } = await run([
    'override',
    'add',
    'api',
    'c7',
    '--limit',
    '9007199254740991',
    '--burst',
    '5',
  ]);
  assert.equal(
    stdout,
    '203.0.113.7 has its own numbers (minute: limit 600, burst 20) in api of shop until it is removed.',
  );
  assert.deepEqual(Object(calls[0]?.body).limits, [{ limit: 9007199254740991, burst: 5 }]);
  await run([
    'override',
    'add',
    'api',
    'c7',
    '--set',
    'name=a,limit=1,burst=2',
    '--set',
    'name=b,mode=shadow',
  ]);
  assert.deepEqual(Object(calls[2]?.body).limits, [
    { name: 'a', limit: 1, burst: 2 },
    { name: 'b', mode: 'shadow' },
  ]);
});

test('whoever adds what another one wins over is warned', async (t) => {
  const exemption = { ...BLOCK, kind: 'exemption', match: '203.0.113.9' };
  const answers: Answer[] = [
    [200, { items: [exemption, { ...exemption, match: BLOCK.match }], isWhole: false }],
    [503, { code: 'store_unavailable', title: 'away' }],
  ];
  const { run } = await fakeBrume(t, (asked) =>
    isRivals(asked) ? (answers.shift() ?? NO_RIVALS) : [201, BLOCK],
  );
  const { exitCode, stdout } = await run(['block', 'add', 'login', '203.0.113.7']);
  assert.equal(exitCode, 0);
  assert.deepEqual(stdout.split('\n').slice(1), [
    'Warning: the exemption 203.0.113.9 wins over it where both match.',
    'Warning: It is without effect: the exemption 203.0.113.7 wins over it.',
    'Warning: There may be more that win over it; not all were looked at.',
  ]);
  const json = await run(['block', 'add', 'login', '203.0.113.7', '--json']);
  assert.equal(json.exitCode, 0);
  assert.deepEqual(JSON.parse(json.stdout), {
    ...BLOCK,
    warnings: ['It could not be looked up whether others win over it: away'],
  });
});

describe('a block of everybody', () => {
  for (const match of ['*', '**', '0.0.0.0/0', '::/0', '::ffff:0:0/96', '::ffff:0.0.0.0/96']) {
    test(`is asked for, and warned of: ${match}`, async (t) => {
      const { calls, run } = await fakeBrume(t, (asked) => (isRivals(asked) ? NO_RIVALS : [201, BLOCK]));
      const warning = `A block of ${match} denies everybody in login.`;
      const alone = await run(['block', 'add', 'login', match]);
      assert.deepEqual(
        [alone.exitCode, alone.stderr],
        [2, `brume: ${warning} Nobody can be asked here: add --yes to do so.`],
      );
      const refused = await run(['block', 'add', 'login', match], { answer: 'n' });
      assert.deepEqual([refused.exitCode, refused.stdout], [1, 'Nothing was blocked.']);
      assert.deepEqual([refused.questions, calls], [[`${warning} Really? [y/N] `], []]);
      const sure = await run(['block', 'add', 'login', match], { answer: 'y' });
      assert.deepEqual([sure.exitCode, sure.stdout.split('\n')[1]], [0, `Warning: ${warning}`]);
      assert.equal((await run(['block', 'add', 'login', match, '--yes'])).exitCode, 0);
    });
  }

  test('is asked for in a list, too; an exemption and less than everybody are not', async (t) => {
    const { run } = await fakeBrume(t, (asked) =>
      isRivals(asked) ? NO_RIVALS : [200, { ...BLOCK, added: 2, replaced: 0 }],
    );
    const list = await run(['block', 'import', 'login', '-'], { input: '203.0.113.7\n0.0.0.0/0\n' });
    assert.deepEqual([list.exitCode, /0\.0\.0\.0\/0 denies everybody/.test(list.stderr)], [2, true]);
    for (const args of [
      ['block', 'import', 'login', '-', '--yes'],
      ['exempt', 'add', 'login', '*'],
      ['block', 'add', 'login', 'a*'],
      ['block', 'add', 'login', '\\*'],
      ['block', 'add', 'login', '0.0.0.0/1'],
    ]) {
      const { exitCode, stderr } = await run(args, { input: '203.0.113.7\n0.0.0.0/0\n' });
      assert.equal(exitCode, 0, stderr);
    }
  });
});

describe('what Brume refuses is told in the words of the command line', () => {
  const cases: [field: string, args: string[], words: string][] = [
    ['match', ['block', 'add', 'n', ''], '<match>: '],
    ['expiresAt', ['block', 'add', 'n', 'x', '--until', '2020-01-01T00:00:00Z'], '--for or --until: '],
    ['reason', ['exempt', 'add', 'n', 'x', '--reason', 'y'], '--reason: '],
    ['limits[0].limit', ['override', 'add', 'n', 'x', '--limit', '1'], '--limit or --set limit: '],
    ['limits[1].name', ['override', 'add', 'n', 'x', '--limit', '1'], '--set name: '],
    ['match', ['block', 'remove', 'n', '*'], '<match>: '],
  ];
  for (const [field, args, words] of cases) {
    test(`${field}: ${args.join(' ')}`, async (t) => {
      const { run } = await fakeBrume(t, () => [
        400,
        { code: 'bad_request', title: 't', detail: `${field} is wrong.`, field },
      ]);
      const { exitCode, stderr } = await run(args);
      assert.deepEqual([exitCode, stderr], [1, `brume: ${words}${field} is wrong.`]);
    });
  }

  test('a conflict names --replace', async (t) => {
    const detail =
      'A block of x holds since t, until it is removed. With replace the new one takes its place.';
    const { run } = await fakeBrume(t, () => [409, { code: 'conflict', title: 't', detail, field: 'match' }]);
    const { exitCode, stderr } = await run(['block', 'add', 'n', 'x']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^brume: .*A block of x holds since.* With --replace the new one/);
  });
});

describe('the command line itself refuses with exit code 2', () => {
  const cases: [args: string[], said: RegExp][] = [
    [['block', 'add', 'n'], /missing required argument 'match'/],
    [['block', 'add', 'n', 'x', '--for', '0s'], /--for.*Expected 1s to 36500d/],
    [['block', 'add', 'n', 'x', '--for', '100000d'], /--for.*Expected 1s to 36500d/],
    [['block', 'add', 'n', 'x', '--for', 'soon'], /--for.*Expected a duration/],
    [
      ['block', 'add', 'n', 'x', '--for', '1h', '--until', '2030-01-01T00:00:00Z'],
      /--until.*cannot be used with.*--for/,
    ],
    [['block', 'add', 'n', 'x', '--until', 'soon'], /--until.*Expected an ISO 8601 time with its offset/],
    [['block', 'add', 'n', 'x', '--until', '2030-02-30T00:00:00Z'], /--until.*Expected an ISO 8601 time/],
    [['key', 'create', 'p', 'n', '--expires-at', 'soon'], /--expires-at.*Expected an ISO 8601 time/],
    [['override', 'add', 'n', 'x'], /Say what is to be different: --limit/],
    [['override', 'add', 'n', 'x', '--limit', '1', '--set', 'name=a,limit=1'], /--set.*--limit/],
    [['override', 'add', 'n', 'x', '--set', 'name=a'], /--set "name=a": limit, burst or mode is missing/],
    [['override', 'add', 'n', 'x', '--set', 'limit=1'], /--set "limit=1": name is missing/],
    [['override', 'add', 'n', 'x', '--set', 'nam=a'], /"nam" is not one of name, limit, burst, mode/],
    [['block', 'import', 'n', '/nonexistent'], /\/nonexistent can.t be read: ENOENT/],
  ];
  for (const [args, said] of cases) {
    test(args.join(' '), async () => {
      const { exitCode, stderr } = await runWith(args);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, said);
    });
  }
});
