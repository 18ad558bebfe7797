import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK, fakeBrume } from './fake-brume.ts';

const TIMES = { createdAt: '2026-07-01T12:00:00.000Z', updatedAt: '2026-07-01T12:00:00.000Z' };
const PROJECT = {
  id: 'prj_1',
  name: 'shop',
  organisationId: 'org_1',
  tierId: 'tier_1',
  version: 3,
  ...TIMES,
};
const KEY = {
  id: 'key_1',
  name: 'web',
  kind: 'service',
  scopes: ['limit'],
  prefix: 'brume_sk_abc',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  replaces: null,
  ...TIMES,
};

test('key rotate says which key goes on until when, and shows the new one once', async (t) => {
  const replaced = { ...KEY, expiresAt: '2026-07-02T12:00:00.000Z' };
  const created = { ...KEY, id: 'key_2', replaces: 'key_1', key: 'brume_sk_secret', replaced };
  const { calls, run } = await fakeBrume(t, () => [201, created]);
  const { exitCode, stdout } = await run(['key', 'rotate', 'shop', 'key_1']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /web \(key_2\) in the place of key_1, which ends 2026-07-02 12:00:00Z\./);
  assert.ok(stdout.endsWith('\nbrume_sk_secret'));
  await run(['key', 'rotate', 'shop', 'key_1', '--overlap', '2h', '--expires-at', '2030-01-31T12:00:00Z']);
  await run(['key', 'rotate', 'shop', 'key_1', '--overlap', '0s']);
  assert.deepEqual(
    calls.map(({ body }) => body),
    [{}, { overlapMs: 7_200_000, expiresAt: '2030-01-31T12:00:00Z' }, { overlapMs: 0 }],
  );
  for (const wrong of [
    ['--overlap', '2'],
    ['--expires-in', '104000000d'],
    ['--expires-in', '1d', '--expires-at', '2030-01-31T12:00:00Z'],
  ]) {
    assert.equal((await run(['key', 'rotate', 'shop', 'key_1', ...wrong])).exitCode, 2, wrong.join(' '));
  }
  assert.equal(calls.length, 3);
});

test('a project is made in the organisation that is named, else where Brume makes it', async (t) => {
  const { run, projectCalls } = await fakeProjects(t);
  assert.equal((await run(['project', 'create', 'shop', '--organisation', 'retail'])).exitCode, 0);
  assert.equal((await run(['project', 'create', 'shop'])).exitCode, 0);
  assert.deepEqual(projectCalls, [{ name: 'shop', organisation: 'retail' }, { name: 'shop' }]);
});

test('rules apply --create makes it there too; --organisation goes with --create only', async (t) => {
  const { run, projectCalls } = await fakeProjects(t);
  const apply = ['rules', 'apply', '-', '--organisation', 'retail'];
  const input = 'project: shop\nnamespaces: {}\n';
  assert.equal((await run(apply, { input })).exitCode, 2);
  assert.equal((await run([...apply, '--create'], { input })).exitCode, 0);
  assert.deepEqual(projectCalls, [{ name: 'shop', organisation: 'retail' }]);
});

/** A Brume without projects, and what it was asked to make. */
async function fakeProjects(t: Parameters<typeof fakeBrume>[0]) {
  const projectCalls: unknown[] = [];
  const { run } = await fakeBrume(
    t,
    ({ method, url, body }) => {
      if (url.pathname !== '/v1/projects') {
        return method === 'GET'
          ? [404, { code: 'unknown_project', title: 'None.' }]
          : [200, { revision: 1, summary: 'nothing', items: [], effects: [] }];
      }
      projectCalls.push(body);
      return [201, PROJECT];
    },
    { isAskedForProjects: true },
  );
  return { run, projectCalls };
}

test('project tier wants a tier or --none, and gives null for none', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [200, PROJECT]);
  assert.equal((await run(['project', 'tier', 'shop'])).exitCode, 2);
  assert.equal((await run(['project', 'tier', 'shop', 'free', '--none'])).exitCode, 2);
  assert.equal((await run(['project', 'tier', 'shop', 'free'])).stdout, 'shop has the tier free now.');
  assert.equal((await run(['project', 'tier', 'shop', '--none'])).stdout, 'shop has no tier now.');
  assert.deepEqual(
    calls.map(({ method, url, body }) => [method, url.pathname, body]),
    [
      ['PUT', '/v1/projects/shop/tier', { tier: 'free' }],
      ['PUT', '/v1/projects/shop/tier', { tier: null }],
    ],
  );
});

test('tier set changes what is said and keeps the rest', async (t) => {
  const tier = { id: 'tier_1', name: 'free', callsPerDay: 100, version: 3, ...TIMES };
  const { calls, run } = await fakeBrume(t, () => [200, tier]);
  assert.equal((await run(['tier', 'set', 'free'])).exitCode, 2);
  await run(['tier', 'set', 'free', '--calls-per-day', '200']);
  await run(['tier', 'set', 'free', '--name', 'trial']);
  assert.deepEqual(
    calls.filter(({ method }) => method === 'PUT').map(({ url, body }) => [url.pathname, body]),
    [
      ['/v1/tiers/tier_1', { name: 'free', callsPerDay: 200 }],
      ['/v1/tiers/tier_1', { name: 'trial', callsPerDay: 100 }],
    ],
  );
});

test('block update changes the end or the reason and keeps the rest', async (t) => {
  const block = { ...BLOCK, version: 3, expiresAt: '2030-07-02T12:00:00.000Z' };
  const { calls, run } = await fakeBrume(t, ({ url }) =>
    url.searchParams.has('match') ? [200, { items: [block], next: null }] : [200, block],
  );
  const update = ['block', 'update', 'login', '203.0.113.7'];
  assert.equal((await run(update)).exitCode, 2);
  assert.equal((await run([...update, '--endless', '--for', '1d'])).exitCode, 2);
  await run([...update, '--reason', 'spam']);
  await run([...update, '--endless']);
  await run([...update, '--until', '2031-01-01T00:00:00Z']);
  assert.deepEqual(
    calls.filter(({ method }) => method === 'PUT').map(({ body }) => body),
    [
      { reason: 'spam', expiresAt: block.expiresAt },
      { reason: 'abuse', expiresAt: null },
      { reason: 'abuse', expiresAt: '2031-01-01T00:00:00Z' },
    ],
  );
});

test('override update keeps the numbers unless others are said; of what isn’t there it says so', async (t) => {
  const limits = [{ name: 'default', limit: 9 }];
  const override = { ...BLOCK, kind: 'override', limits, version: 3 };
  let items = [override];
  const { calls, run } = await fakeBrume(t, ({ url }) =>
    url.searchParams.has('match') ? [200, { items, next: null }] : [200, override],
  );
  const update = ['override', 'update', 'login', '203.0.113.7'];
  await run([...update, '--reason', 'contract']);
  await run([...update, '--limit', '12']);
  assert.deepEqual(
    calls.filter(({ method }) => method === 'PUT').map(({ body }) => body),
    [
      { limits, reason: 'contract', expiresAt: null },
      { limits: [{ limit: 12 }], reason: 'abuse', expiresAt: null },
    ],
  );
  items = [];
  const { exitCode, stderr } = await run([...update, '--limit', '12']);
  assert.equal(exitCode, 1);
  assert.match(stderr, /no override of 203\.0\.113\.7 .*brume override list login/);
});

test('override import gives each line the numbers of the options', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [200, { added: 2, replaced: 0 }]);
  const line = ['override', 'import', 'login', '-'];
  const input = 'anna,,contract 7\nbert\n';
  assert.equal((await run(line, { input })).exitCode, 2);
  assert.equal((await run([...line, '--set', 'name=minute,limit=9'], { input })).exitCode, 0);
  const limits = [{ name: 'minute', limit: 9 }];
  assert.deepEqual(
    calls.map(({ body }) => body),
    [
      {
        replace: false,
        entries: [
          { match: 'anna', limits, reason: 'contract 7' },
          { match: 'bert', limits },
        ],
      },
    ],
  );
});

test('top tells who comes most and how sure it is; of nothing it says so', async (t) => {
  const counted = { identifier: '203.0.113.7', count: 120, error: 5 };
  const top = { since: TIMES.createdAt, checks: 400, denials: 0, busiest: [counted], mostDenied: [] };
  const { run } = await fakeBrume(t, ({ url }) => [
    200,
    url.pathname.includes('/quiet/') ? { ...top, since: null, busiest: [] } : top,
  ]);
  const { stdout } = await run(['top', 'shop', 'login']);
  assert.match(stdout, /^login of shop since 2026-07-01 12:00:00Z: 400 checks, 0 of them denied\./);
  assert.match(stdout, /120 +-5 +203\.0\.113\.7/);
  assert.doesNotMatch(stdout, /DENIALS/);
  assert.match((await run(['top', 'shop', 'quiet'])).stdout, /^Nothing is known of quiet of shop/);
});

test('whoami is for tokens: over the admin socket it says that none is needed', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [200, {}]);
  const { exitCode, stderr } = await run(['whoami']);
  assert.equal(exitCode, 2);
  assert.match(stderr, /--url/);
  assert.equal(calls.length, 0);
});
