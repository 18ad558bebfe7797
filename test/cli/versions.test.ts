import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { socketServer } from '../client/socket-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runWith } from './fake-terminal.ts';

const TIMES = { createdAt: '2026-07-01T12:00:00.000Z', updatedAt: '2026-07-01T12:00:00.000Z' };
const RULE = { kind: 'text', limits: [{ name: 'default', algorithm: 'gcra', limit: 5, windowMs: 1000 }] };
const THING = { id: 'x_1', name: 'free', callsPerDay: 100, rule: RULE, kind: 'block', match: 'anna' };

/** A Brume whose things have a version that somebody else raises after each of the first `raises` reads. */
async function versionedBrume(t: Parameters<typeof socketServer>[0], { raises = 0 } = {}) {
  const writes: string[] = [];
  let version = 3;
  let left = raises;
  const socket = await socketServer(t, async (request, response) => {
    const tag = request.headers['if-match'];
    const isRead = request.method === 'GET';
    if (!isRead) writes.push(`${request.method} ${tag ?? '-'}`);
    const isRefused = !isRead && tag !== undefined && tag !== `"${version}"`;
    const thing = { ...THING, ...TIMES, reason: 'abuse', author: 'local:anna', expiresAt: null, version };
    const isList = request.url?.includes('match=') === true;
    const answer = isRefused
      ? { code: 'precondition_failed', title: 'It has another version by now.' }
      : isList
        ? { items: [thing], next: null }
        : { ...thing, isWhole: true, items: [] };
    const isGone = request.method === 'DELETE' && !isRefused && !request.url?.includes('/blocks/');
    if (isGone) response.writeHead(204).end();
    else response.writeHead(isRefused ? 412 : 200).end(JSON.stringify(answer));
    if (isRead && left > 0) {
      left -= 1;
      version += 1;
    }
  });
  const run = (line: readonly string[]) => runWith([...line, '--socket', socket]);
  return { writes, run };
}

/** What reads a thing, changes a part of it and writes it. */
const CHANGES = [
  ['tier', 'set', 'free', '--calls-per-day', '200'],
  ['namespace', 'update', 'shop', 'login', '--mode', 'shadow'],
  ['block', 'update', 'login', 'anna', '--project', 'shop', '--reason', 'spam'],
];

describe('a change of a part undoes nothing that somebody else changed in between', () => {
  for (const line of CHANGES) {
    test(`brume ${line.join(' ')}`, async (t) => {
      const { writes, run } = await versionedBrume(t, { raises: 2 });
      assert.equal((await run(line)).exitCode, 0);
      assert.deepEqual(writes, ['PUT "3"', 'PUT "4"', 'PUT "5"']);
    });

    test(`brume ${line.join(' ')}, of which somebody is always faster`, async (t) => {
      const { writes, run } = await versionedBrume(t, { raises: 99 });
      const { exitCode, stderr } = await run(line);
      assert.deepEqual([exitCode, stderr], [1, 'brume: It has another version by now.']);
      assert.equal(writes.length, 3);
    });
  }
});

test('a whole rule takes the place of whatever is there, with no regard to what was read', async (t) => {
  const { writes, run } = await versionedBrume(t, { raises: 1 });
  const file = join(temporaryDirectory(t), 'rule.json');
  writeFileSync(file, JSON.stringify(RULE));
  const line = ['namespace', 'update', 'shop', 'login', '--rule', file];
  assert.equal((await run(line)).exitCode, 0);
  assert.deepEqual(writes, ['PUT -']);
});

describe('--expect lets a write through for this version only', () => {
  for (const line of [
    ...CHANGES,
    ['block', 'remove', 'login', 'anna', '--project', 'shop'],
    ['namespace', 'delete', 'shop', 'login', '--yes'],
    ['org', 'rename', 'retail', 'store'],
    ['org', 'delete', 'retail', '--yes'],
    ['project', 'delete', 'shop', '--yes'],
    ['project', 'tier', 'shop', '--none'],
    ['tier', 'delete', 'free', '--yes'],
  ]) {
    test(`brume ${line.join(' ')}`, async (t) => {
      const { writes, run } = await versionedBrume(t);
      assert.equal((await run([...line, '--expect', '2'])).exitCode, 1);
      assert.equal((await run([...line, '--expect', '3'])).exitCode, 0);
      assert.deepEqual(
        writes.map((write) => write.replace(/^\w+ /, '')),
        ['"2"', '"3"'],
      );
      assert.equal((await run([...line, '--expect', 'three'])).exitCode, 2);
    });
  }
});
