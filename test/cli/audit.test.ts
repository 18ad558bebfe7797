import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeBrume } from './fake-brume.ts';

const DAY_MS = 86_400_000;

function entry(revision: number, members: object = {}) {
  return {
    revision,
    at: '2026-07-01T12:00:00.000Z',
    actor: 'user:anna',
    address: '203.0.113.9',
    requestId: 'r1',
    organisationId: 'org_1',
    projectId: 'prj_1',
    action: 'key.create',
    target: 'web',
    before: null,
    after: { name: 'web' },
    ...members,
  };
}

/** An audit of so many entries, as the API gives it. */
function auditOf(count: number) {
  return ({ url }: { url: URL }) => {
    const size = Number(url.searchParams.get('limit'));
    const first = Number(url.searchParams.get('after') ?? 0) + 1;
    const items = Array.from({ length: Math.max(0, Math.min(size, count - first + 1)) }, (_, index) =>
      entry(first + index),
    );
    const next = items.length < size ? null : String(items.at(-1)?.revision);
    return [200, { items, next }] as const;
  };
}

test('audit --jsonl writes every entry as one line, page after page to the end', async (t) => {
  const { calls, run } = await fakeBrume(t, auditOf(600));
  const { exitCode, stdout, stderr } = await run(['audit', '--jsonl']);
  assert.deepEqual([exitCode, stderr], [0, '']);
  const revisions = stdout.split('\n').map((line) => JSON.parse(line).revision);
  assert.deepEqual(
    revisions,
    Array.from({ length: 600 }, (_, index) => index + 1),
  );
  assert.deepEqual(
    calls.map(({ url }) => url.searchParams.get('after')),
    [null, '250', '500'],
  );
  assert.deepEqual(JSON.parse(stdout.split('\n')[0] ?? ''), entry(1));
});

test('audit --json is one document, and --limit ends it, also in the middle of a page', async (t) => {
  const { calls, run } = await fakeBrume(t, auditOf(600));
  const whole = JSON.parse((await run(['audit', '--json'])).stdout);
  assert.equal(whole.items.length, 600);
  for (const [limit, pages] of [
    [3, 1],
    [250, 1],
    [251, 2],
  ] as const) {
    calls.length = 0;
    const { stdout } = await run(['audit', '--json', '--limit', String(limit)]);
    assert.equal(JSON.parse(stdout).items.length, limit);
    assert.equal(calls.length, pages);
  }
  assert.deepEqual(JSON.parse((await run(['audit', '--json', '--limit', '0'])).stdout), { items: [] });
});

test('audit shows people when, who, from where, what and of whom, and says where there is nothing', async (t) => {
  const { run } = await fakeBrume(t, auditOf(1));
  const { stdout } = await run(['audit']);
  assert.match(stdout, /1 +2026-07-01 12:00:00Z +user:anna +203\.0\.113\.9 +key\.create +web +prj_1$/m);
  const { run: runEmpty } = await fakeBrume(t, auditOf(0));
  assert.equal((await runEmpty(['audit'])).stdout, 'Nothing of this is in the audit.');
  assert.equal((await runEmpty(['audit', '--jsonl'])).stdout, '');
});

test('what an entry says of others can steer no terminal', async (t) => {
  const after = { reason: '\u001b]0;x\u0007\u009b2J' };
  const { run } = await fakeBrume(t, () => [
    200,
    { items: [entry(1, { after, target: 'a\u001b[2Jb' })], next: null },
  ]);
  for (const options of [[], ['--json'], ['--jsonl']]) {
    const { stdout } = await run(['audit', ...options]);
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u);
  }
  assert.deepEqual(JSON.parse((await run(['audit', '--jsonl'])).stdout).after, after);
});

test('audit asks whom it is told to, with all that chooses', async (t) => {
  const { calls, run } = await fakeBrume(t, auditOf(0));
  const filter = ['--actor', 'user:anna', '--action', 'key.create', '--to', '2026-07-02T12:00:00+02:00'];
  await run(['audit', '--project', 'shop', ...filter, '--after', '41', '--from', '2026-07-01T12:00:00Z']);
  await run(['audit', '--organisation', 'a/b']);
  assert.deepEqual(Object.fromEntries(calls[0]?.url.searchParams ?? []), {
    actor: 'user:anna',
    action: 'key.create',
    from: '2026-07-01T12:00:00Z',
    to: '2026-07-02T12:00:00+02:00',
    after: '41',
    limit: '250',
  });
  assert.deepEqual(
    calls.map(({ url }) => url.pathname),
    ['/v1/projects/shop/audit', '/v1/organisations/a%2Fb/audit'],
  );
});

test('audit --last begins so long ago', async (t) => {
  const { calls, run } = await fakeBrume(t, auditOf(0));
  const earliestMs = Date.now() - DAY_MS;
  await run(['audit', '--last', '1d']);
  const from = Date.parse(calls[0]?.url.searchParams.get('from') ?? '');
  assert.ok(from >= earliestMs && from <= Date.now() - DAY_MS);
});

test('what contradicts itself is refused before Brume is asked', async (t) => {
  const { calls, run } = await fakeBrume(t, auditOf(0));
  for (const options of [
    ['--project', 'shop', '--organisation', 'retail'],
    ['--json', '--jsonl'],
    ['--last', '1d', '--from', '2026-07-01T12:00:00Z'],
    ['--last', '104000000d'],
    ['--from', 'yesterday'],
    ['--after', '-1'],
  ]) {
    assert.equal((await run(['audit', ...options])).exitCode, 2, options.join(' '));
  }
  assert.equal(calls.length, 0);
});

test('a fault in the middle ends with exit code 1, behind what had come, and as JSON for programs', async (t) => {
  const pages = auditOf(600);
  const { run } = await fakeBrume(t, (asked) =>
    asked.url.searchParams.has('after')
      ? [503, { code: 'store_unavailable', title: 'Not now.' }]
      : pages(asked),
  );
  const { exitCode, stdout, stderr } = await run(['audit', '--jsonl']);
  assert.equal(exitCode, 1);
  assert.equal(stdout.split('\n').length, 250);
  assert.equal(JSON.parse(stderr).error.code, 'store_unavailable');
});
