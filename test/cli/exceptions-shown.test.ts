import assert from 'node:assert/strict';
import { test } from 'node:test';
import { socketServer } from '../client/socket-server.ts';
import { BLOCK, fakeBrume } from './fake-brume.ts';
import { runWith } from './fake-terminal.ts';

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
  const { calls, run } = await fakeBrume(t, ({ url }) => {
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
  const { calls, run } = await fakeBrume(t, ({ method }) =>
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

test('check does not say that an override gives numbers which the rule has no place for any more', async (t) => {
  const limits = [{ name: 'minute', limit: 9, burst: 3 }];
  const override = { ...BLOCK, kind: 'override', match: 'ann', limits };
  const answers = [
    { decides: override, withoutEffect: [{ name: 'minute', members: [] }], others: [] },
    { decides: override, withoutEffect: [{ name: 'minute', members: ['burst'] }], others: [] },
  ];
  const { run } = await fakeBrume(t, () => [200, { identifier: 'ann', ...answers.shift() }]);
  const whole = await run(['block', 'check', 'login', 'ann']);
  assert.match(
    whole.stdout,
    /^ann is limited by the rule in login of shop\.\nAn override decides, and all that it says is without effect:\nThe rule has no limit or quota minute any more: .*\n\n.*\nyes, in vain +override/,
  );
  const part = await run(['block', 'check', 'login', 'ann']);
  assert.match(
    part.stdout,
    /^ann has its own numbers \(minute: limit 9, burst 3\) in login of shop\.\nThe rule's minute takes no such burst any more: .*\n\n.*\nyes +override/,
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
  const { calls, run } = await fakeBrume(t, () => [200, { identifier: 'x', ...answers.shift() }]);
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
  const { run } = await fakeBrume(t, ({ url, method }) => {
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
