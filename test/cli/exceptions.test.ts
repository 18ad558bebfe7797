import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { socketServer } from '../client/socket-server.ts';
import { runWith } from './fake-terminal.ts';

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

type Answer = readonly [status: number, body: unknown];

const BLOCK = {
  id: 'ex_1',
  kind: 'block',
  match: '203.0.113.7',
  reason: 'abuse',
  author: 'local:anna',
  createdAt: '2026-07-01T12:00:00.000Z',
  updatedAt: '2026-07-01T12:00:00.000Z',
  expiresAt: null,
};
const NO_RIVALS: Answer = [200, { items: [], isWhole: true }];

/** A Brume that has the one project `shop`, and answers all other calls as told. */
async function fake(t: Parameters<typeof socketServer>[0], answer: (asked: Asked) => Answer) {
  const calls: Asked[] = [];
  const socket = await socketServer(t, async (request, response) => {
    const text = await textOf(request);
    const asked = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'http://brume'),
      body: text === '' ? undefined : JSON.parse(text),
    };
    const isProjects = asked.url.pathname === '/v1/projects';
    if (!isProjects) calls.push(asked);
    const [status, body] = isProjects ? [200, { items: [{ name: 'shop' }] }] : answer(asked);
    response.writeHead(status).end(JSON.stringify(body));
  });
  const run = (line: readonly string[], options?: Parameters<typeof runWith>[1]) =>
    runWith([...line, '--socket', socket], options);
  return { calls, run };
}

const isRivals = ({ url }: Asked) => url.pathname.endsWith('/rivals');

test('add sends what was said, and tells what holds now', async (t) => {
  const { calls, run } = await fake(t, (asked) => (isRivals(asked) ? NO_RIVALS : [201, BLOCK]));
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
  const { calls, run } = await fake(t, (asked) =>
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
  const { calls, run } = await fake(t, (asked) => (isRivals(asked) ? NO_RIVALS : [201, override]));
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
  const { run } = await fake(t, (asked) => (isRivals(asked) ? (answers.shift() ?? NO_RIVALS) : [201, BLOCK]));
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

describe('what Brume refuses is told in the words of the command line', () => {
  const cases: [field: string, args: string[], words: string][] = [
    ['match', ['block', 'add', 'n', ''], '<match>: '],
    ['expiresAt', ['block', 'add', 'n', 'x', '--until', 'soon'], '--for or --until: '],
    ['reason', ['exempt', 'add', 'n', 'x', '--reason', 'y'], '--reason: '],
    ['limits[0].limit', ['override', 'add', 'n', 'x', '--limit', '1'], '--limit or --set limit: '],
    ['limits[1].name', ['override', 'add', 'n', 'x', '--limit', '1'], '--set name: '],
    ['match', ['block', 'remove', 'n', '*'], '<match>: '],
  ];
  for (const [field, args, words] of cases) {
    test(`${field}: ${args.join(' ')}`, async (t) => {
      const { run } = await fake(t, () => [
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
    const { run } = await fake(t, () => [409, { code: 'conflict', title: 't', detail, field: 'match' }]);
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
    [['block', 'add', 'n', 'x', '--for', '1h', '--until', 'y'], /--until.*--for/],
    [['override', 'add', 'n', 'x'], /Say what is to be different: --limit/],
    [['override', 'add', 'n', 'x', '--limit', '1', '--set', 'name=a,limit=1'], /--set.*--limit/],
    [['override', 'add', 'n', 'x', '--set', 'name=a'], /--set "name=a": limit, burst or mode is missing/],
    [['override', 'add', 'n', 'x', '--set', 'limit=1'], /--set "limit=1": name is missing/],
    [['override', 'add', 'n', 'x', '--set', 'nam=a'], /"nam" is not one of name, limit, burst, mode/],
    [['block', 'import', 'n', '/nonexistent'], /\/nonexistent: ENOENT/],
  ];
  for (const [args, said] of cases) {
    test(args.join(' '), async () => {
      const { exitCode, stderr } = await runWith(args);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, said);
    });
  }
});

test('the project may be left out where there is only one, else it has to be named', async (t) => {
  const answers = [['shop'], ['shop', 'blog'], []];
  const socket = await socketServer(t, (request, response) => {
    const names = request.url === '/v1/projects' ? (answers.shift() ?? []) : undefined;
    const items = (names ?? []).map((name) => ({ name }));
    response.writeHead(200).end(JSON.stringify({ items, next: null }));
  });
  const list = () => runWith(['block', 'list', 'login', '--socket', socket]);
  assert.match(
    (await list()).stdout,
    /^There are no blocks in login of shop\. Add a block with: brume block add login/,
  );
  const two = await list();
  assert.deepEqual(
    [two.exitCode, two.stderr],
    [2, 'brume: Say which project with --project NAME. There are: shop, blog.'],
  );
  const none = await list();
  assert.deepEqual([none.exitCode, none.stderr.includes('brume project create')], [2, true]);
});

test('list reads page after page, and says how to go on where it was cut', async (t) => {
  const { calls, run } = await fake(t, ({ url }) => {
    const after = url.searchParams.get('after');
    return [
      200,
      {
        items: [{ ...BLOCK, match: after ?? 'first' }],
        next: after === 'c' ? null : after === 'b' ? 'c' : 'b',
      },
    ];
  });
  const { stdout } = await run(['block', 'list', 'login']);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.split(/ {2,}/)[0]),
    ['MATCH', 'first', 'b', 'c'],
  );
  assert.match(stdout, /^MATCH +ENDS +REASON +BY +SINCE$/m);
  assert.match(stdout, /^first +no end +abuse +local:anna +2026-07-01T/m);
  const cut = await run([
    'block',
    'list',
    'login',
    '--limit',
    '2',
    '--json',
    '--expired',
    '--match',
    'a/b?c',
  ]);
  assert.deepEqual(Object(JSON.parse(cut.stdout)).next, 'c');
  const query = Object.fromEntries(calls[3]?.url.searchParams ?? []);
  assert.deepEqual(query, { match: 'a/b?c', expired: 'true', limit: '2' });
  const words = await run(['block', 'list', 'login', '--limit', '1']);
  assert.match(words.stdout, /There are more\. Go on with: --after b$/);
});

test('remove finds the exception by its match; one that is not there is exit code 1', async (t) => {
  let items: unknown[] = [BLOCK];
  const { calls, run } = await fake(t, ({ method }) =>
    method === 'DELETE' ? [200, BLOCK] : [200, { items, next: null }],
  );
  const { exitCode, stdout } = await run(['block', 'remove', 'login', '203.0.113.7']);
  assert.equal(exitCode, 0);
  assert.match(
    stdout,
    /^Removed the block of 203\.0\.113\.7 \(by local:anna, since .*\) from login of shop\.$/,
  );
  assert.equal(calls[1]?.url.pathname, '/v1/projects/shop/namespaces/login/blocks/ex_1');
  items = [];
  const missing = await run(['block', 'remove', 'login', 'x']);
  assert.deepEqual(
    [missing.exitCode, missing.stderr],
    [1, 'brume: There is no block of x in login of shop. Look with: brume block list login'],
  );
});

test('check tells what decides and why others do not; a block is exit code 1', async (t) => {
  const exemption = { ...BLOCK, kind: 'exemption', reason: '' };
  const answers = [
    { decides: BLOCK, others: [{ ...exemption, because: 'weaker_kind' }] },
    { decides: exemption, others: [] },
    { decides: null, others: [{ ...BLOCK, because: 'expired' }] },
    { decides: null, others: [] },
  ];
  const { calls, run } = await fake(t, () => [200, { identifier: 'x', ...answers.shift() }]);
  const check = () => run(['block', 'check', 'login', 'a b/ü']);
  const blocked = await check();
  assert.equal(blocked.exitCode, 1);
  const [answer, , headings, ...rows] = blocked.stdout.split('\n');
  assert.equal(answer, 'a b/ü is blocked in login of shop.');
  assert.match(headings ?? '', /^DECIDES +KIND +MATCH +ENDS +REASON +BY +SINCE$/);
  assert.match(rows[0] ?? '', /^yes +block +203\.0\.113\.7 +no end +abuse/);
  assert.match(rows[1] ?? '', /^no: as exact, but a weaker kind +exemption/);
  assert.equal(calls[0]?.url.searchParams.get('identifier'), 'a b/ü');
  const exempt = await check();
  assert.deepEqual(
    [exempt.exitCode, exempt.stdout.split('\n')[0]],
    [0, 'a b/ü is exempt from all limits in login of shop.'],
  );
  const expired = await check();
  assert.deepEqual([expired.exitCode, /^no: it has ended +block/m.test(expired.stdout)], [0, true]);
  assert.match((await check()).stdout, /No block, exemption or override matches: the rule decides\.$/);
});

test('what others wrote can not steer the terminal', async (t) => {
  const evil = '\u001b]0;owned\u0007\nroot';
  const bad = { ...BLOCK, match: evil, reason: evil, author: evil, kind: evil };
  const { run } = await fake(t, ({ url, method }) => {
    if (url.pathname.endsWith('/rivals')) return [200, { items: [bad], isWhole: true }];
    if (url.pathname.endsWith('/explain'))
      return [200, { identifier: evil, decides: bad, others: [{ ...bad, because: evil }] }];
    return method === 'GET' ? [200, { items: [bad], next: evil }] : [200, bad];
  });
  for (const args of ['block add n x', 'block list n --limit 1', 'block remove n x', 'block check n x']) {
    const { stdout } = await run(args.split(' '));
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u0007'), stdout);
    assert.ok(!stdout.split('\n').some((line) => line.startsWith('root')), stdout);
  }
});
