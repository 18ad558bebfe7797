import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { always, socketServer } from '../client/socket-server.ts';
import { runWith } from './fake-terminal.ts';

const EVIL = '\u001b]0;owned\u0007\nroot';
const VERDICT = {
  success: false,
  namespace: 'n',
  identifier: 'i',
  limit: 3,
  remaining: 0,
  reset: 1_000_000,
  retryAfter: 42,
  delayMs: 0,
  reason: 'limit',
  degraded: false,
  shadow: [],
  requestId: null,
  limits: [
    {
      name: 'default',
      algorithm: 'gcra',
      success: false,
      limit: 3,
      windowMs: 60_000,
      period: null,
      remaining: 0,
      reset: 1_000_000,
      retryAfter: 42,
    },
  ],
};

test('a denied check is exit code 1, with the verdict on standard output', async (t) => {
  const socket = await socketServer(t, always(200, VERDICT));
  for (const command of ['limit', 'peek']) {
    const { exitCode, stdout, stderr } = await runWith([command, 'p', 'n', 'i', '--socket', socket]);
    assert.equal(exitCode, 1);
    assert.equal(stderr, '');
    const lines = [
      'denied (limit); try again in 42s',
      '',
      'LIMIT    ALGORITHM  SAYS    LEFT  OF  IN  WHOLE AGAIN',
      'default  gcra       denies     0   3  1m  1970-01-01 00:16:40Z',
    ];
    assert.equal(stdout, lines.join('\n'));
  }
});

test('quotas show their period, shadow limits what they would say, and a delay is told', async (t) => {
  const [limit] = VERDICT.limits;
  const allowed = { ...VERDICT, success: true, reason: null, retryAfter: null, delayMs: 250 };
  const limits = [
    { ...limit, success: true, algorithm: 'leaky_bucket', remaining: 2 },
    { ...limit, success: true, name: 'month', algorithm: 'quota', period: 'month', windowMs: 2_678_400_000 },
    {
      ...limit,
      success: true,
      name: 'ever',
      algorithm: 'quota',
      period: 'never',
      windowMs: null,
      reset: null,
    },
  ];
  const shadow = [
    { ...limit, name: 'trial' },
    { ...limit, name: 'wide', success: true },
  ];
  const socket = await socketServer(t, always(200, { ...allowed, limits, shadow }));
  const { exitCode, stdout } = await runWith(['limit', 'p', 'n', 'i', '--socket', socket]);
  assert.equal(exitCode, 0);
  const lines = [
    'allowed; proceed in 250ms',
    '',
    'LIMIT    ALGORITHM     SAYS         LEFT  OF  IN     WHOLE AGAIN',
    'default  leaky_bucket  allows          2   3  1m     1970-01-01 00:16:40Z',
    'month    quota         allows          0   3  month  1970-01-01 00:16:40Z',
    'ever     quota         allows          0   3  never  -',
    'trial    gcra          would deny      0   3  1m     1970-01-01 00:16:40Z',
    'wide     gcra          would allow     0   3  1m     1970-01-01 00:16:40Z',
  ];
  assert.equal(stdout, lines.join('\n'));
});

test('where every limit is off, the verdict says that nothing is counted', async (t) => {
  const off = { ...VERDICT, success: true, reason: null, retryAfter: null, limits: [] };
  const socket = await socketServer(t, always(200, off));
  const { stdout } = await runWith(['peek', 'p', 'n', 'i', '--socket', socket]);
  assert.equal(stdout, 'allowed\nNothing is counted: every limit of the rule is off.');
});

test('limit sends its request id, reset whose counts to forget', async (t) => {
  const seen: string[] = [];
  const socket = await socketServer(t, async (request, response) => {
    seen.push(`${request.url} ${await textOf(request)}`);
    response.writeHead(request.url?.endsWith('reset') ? 204 : 200).end(JSON.stringify(VERDICT));
  });
  await runWith(['limit', 'p', 'n', 'i', '--request-id', 'order 7', '--socket', socket]);
  const reset = await runWith(['reset', 'p', 'n', 'i', '--socket', socket]);
  assert.deepEqual([reset.exitCode, reset.stdout], [0, 'Reset: i has used nothing in n.']);
  assert.deepEqual(seen, [
    '/v1/projects/p/limit {"namespace":"n","identifier":"i","requestId":"order 7"}',
    '/v1/projects/p/reset {"namespace":"n","identifier":"i"}',
  ]);
});

test('a namespace shows its limits, quotas and modes', async (t) => {
  const jobs = { name: 'jobs', algorithm: 'concurrency', limit: 3, ttlMs: 30_000, mode: 'enforce' };
  const rule = {
    ...{ kind: 'text', ipv6Prefix: 64, identifyBy: 'address', onStoreFailure: 'open', mode: 'enforce' },
    limits: [
      { name: 'second', algorithm: 'gcra', limit: 10, windowMs: 1000, burst: 20, mode: 'shadow' },
      jobs,
    ],
    quotas: [
      {
        ...{ name: 'month', limit: 500, period: 'month', timeZone: 'Europe/Paris', mode: 'enforce' },
        anchor: { day: 31, time: '02:00' },
      },
      { name: 'trial', limit: 9, period: 'never', timeZone: 'UTC', mode: 'off' },
    ],
  };
  const namespace = { id: 'ns_1', name: 'api', version: 3, updatedAt: '2026-01-01T00:00:00Z', rule };
  const one = await socketServer(t, always(200, namespace));
  const shown = (await runWith(['namespace', 'show', 'p', 'api', '--socket', one])).stdout;
  assert.equal(
    shown.slice(shown.indexOf('\n\n') + 2),
    [
      'LIMIT   ALGORITHM    PASS  IN         BURST  MODE',
      'second  gcra           10  1s            20  shadow',
      'jobs    concurrency     3  lease 30s      -  enforce',
      '',
      'QUOTA  PASS  PERIOD  ZONE          BEGINS              MODE',
      'month   500  month   Europe/Paris  day 31, time 02:00  enforce',
      'trial     9  never   UTC           -                   off',
    ].join('\n'),
  );
  const all = await socketServer(t, always(200, { items: [namespace] }));
  const listed = (await runWith(['namespace', 'list', 'p', '--socket', all])).stdout;
  const limits =
    '10 in 1s (gcra, burst 20, shadow); 3 at once (concurrency, lease 30s); 500 per month (Europe/Paris, day 31, time 02:00); 9 in all (off)';
  assert.ok(listed.endsWith(`  enforce  ${limits}`), listed);
});

test('with --json the verdict is all there is on standard output', async (t) => {
  const socket = await socketServer(t, always(200, VERDICT));
  const { exitCode, stdout, stderr } = await runWith(['limit', 'p', 'n', 'i', '--json', '--socket', socket]);
  assert.equal(exitCode, 1);
  assert.deepEqual(JSON.parse(stdout), VERDICT);
  assert.equal(stderr, '');
});

test('a degraded verdict says so', async (t) => {
  const degraded = { ...VERDICT, success: true, reason: null, retryAfter: null, degraded: true, limits: [] };
  const socket = await socketServer(t, always(200, degraded));
  const { exitCode, stdout } = await runWith(['limit', 'p', 'n', 'i', '--socket', socket]);
  assert.equal(exitCode, 0);
  assert.equal(stdout, 'allowed\nThe counters did not answer: the policy of the namespace decided.');
});

test('the cost of a check is a whole number', async () => {
  for (const cost of ['-1', '1.5', '1e3', '', '0x10', '9007199254740992']) {
    const { exitCode, stderr } = await runWith(['limit', 'p', 'n', 'i', '--cost', cost]);
    assert.equal(exitCode, 2, cost);
    assert.match(stderr, /--cost/);
  }
});

describe('control characters from the server never reach the terminal', () => {
  const time = '2026-01-01T00:00:00Z';
  const project = { id: EVIL, name: EVIL, createdAt: EVIL, updatedAt: time };
  const key = {
    ...project,
    kind: EVIL,
    scopes: [EVIL],
    prefix: EVIL,
    expiresAt: EVIL,
    revokedAt: EVIL,
    key: EVIL,
  };
  const limit = { name: EVIL, algorithm: EVIL, limit: 1, windowMs: 1, burst: 1 };
  const quota = { name: EVIL, limit: 1, period: EVIL, timeZone: EVIL, anchor: { [EVIL]: EVIL }, mode: EVIL };
  const words = { kind: EVIL, identifyBy: EVIL, onStoreFailure: EVIL, mode: EVIL };
  const rule = { ...words, limits: [{ ...limit, mode: EVIL }], quotas: [quota] };
  const namespace = { ...project, version: 1, rule };
  const verdict = {
    ...VERDICT,
    reason: EVIL,
    limits: [{ ...VERDICT.limits[0], name: EVIL, algorithm: EVIL }],
    shadow: [{ ...VERDICT.limits[0], name: EVIL, algorithm: EVIL, period: EVIL }],
  };
  const cases: [args: string, body: unknown][] = [
    ['project create p', project],
    ['project list', { items: [project] }],
    ['project show p', project],
    ['key create p k', key],
    ['key list p', { items: [key] }],
    ['key revoke p k', key],
    ['namespace create p n --limit 1 --window 1s', namespace],
    ['namespace list p', { items: [namespace] }],
    ['namespace show p n', namespace],
    ['namespace update p n --limit 1', namespace],
    ['limit p n i', verdict],
    ['peek p n i', verdict],
    ['reset p n i', undefined],
  ];
  for (const [args, body] of cases) {
    test(args, async (t) => {
      for (const status of [200, 400]) {
        const problem = { code: EVIL, title: EVIL, detail: EVIL, field: EVIL };
        const socket = await socketServer(t, always(status, status === 200 ? body : problem));
        const human = await runWith([...args.split(' '), '--socket', socket]);
        assert.ok(!human.stdout.includes('\u001b') && !human.stdout.includes('\u0007'), human.stdout);
        assert.ok(!human.stdout.split('\n').some((line) => line.startsWith('root')), human.stdout);
        const json = await runWith([...args.split(' '), '--json', '--socket', socket]);
        assert.ok(!json.stdout.includes('\u001b') && !json.stderr.includes('\u001b'));
        JSON.parse(status === 200 ? json.stdout : json.stderr);
      }
    });
  }
});

describe('delete asks', () => {
  const cases: Record<
    string,
    [options: Parameters<typeof runWith>[1], args: string[], exitCode: number, calls: number]
  > = {
    'yes: deletes': [{ answer: 'y' }, [], 0, 1],
    'no: refuses': [{ answer: 'n' }, [], 1, 0],
    'nothing: refuses': [{ answer: '' }, [], 1, 0],
    'anything else: refuses': [{ answer: 'sure' }, [], 1, 0],
    '--yes: does not ask': [{ answer: 'n' }, ['--yes'], 0, 1],
    'nobody there: refuses': [{}, [], 2, 0],
    'nobody there, --yes: deletes': [{}, ['--yes'], 0, 1],
  };
  for (const [name, [options, args, exitCode, calls]] of Object.entries(cases)) {
    test(name, async (t) => {
      let count = 0;
      const socket = await socketServer(t, (_, response) => {
        count += 1;
        response.writeHead(204).end();
      });
      for (const command of [
        ['project', 'delete', 'p'],
        ['namespace', 'delete', 'p', 'n'],
      ]) {
        count = 0;
        const run = await runWith([...command, ...args, '--socket', socket], options);
        assert.equal(run.exitCode, exitCode, run.stderr);
        assert.equal(count, calls);
        assert.equal(run.questions.length, options?.answer !== undefined && args.length === 0 ? 1 : 0);
      }
    });
  }
});

test('a key can end after a duration or at a time, not both', async (t) => {
  let sent = { expiresAt: '' };
  const socket = await socketServer(t, async (request, response) => {
    for await (const part of request) sent = JSON.parse(String(part));
    response.writeHead(201).end('{"name":"k","id":"key_1","kind":"service","key":"brume_sk_x"}');
  });
  const before = Date.now();
  assert.equal(
    (await runWith(['key', 'create', 'p', 'k', '--expires-in', '1d', '--socket', socket])).exitCode,
    0,
  );
  const expiresMs = Date.parse(sent.expiresAt);
  assert.ok(expiresMs >= before + 86_400_000 && expiresMs <= Date.now() + 86_400_000);
  await runWith(['key', 'create', 'p', 'k', '--expires-at', '2030-01-01T00:00:00Z', '--socket', socket]);
  assert.equal(sent.expiresAt, '2030-01-01T00:00:00Z');
  const both = await runWith(['key', 'create', 'p', 'k', '--expires-in', '1d', '--expires-at', 'x']);
  assert.equal(both.exitCode, 2);
});

test('a Brume that is away: what to do, in words and as JSON', async () => {
  const human = await runWith(['project', 'list', '--socket', '/nonexistent/a.sock']);
  assert.equal(human.exitCode, 1);
  for (const part of ['/nonexistent/a.sock', 'Is Brume running?', '--socket PATH', 'BRUME_ADMIN_SOCKET']) {
    assert.ok(human.stderr.includes(part), part);
  }
  const json = await runWith(['project', 'list', '--json', '--socket', '/nonexistent/a.sock']);
  assert.equal(json.stdout, '');
  assert.equal(JSON.parse(json.stderr).error.code, 'connection_missing');
});
