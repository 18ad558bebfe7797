import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HELP_TOPICS } from '../../src/cli/help-topics.ts';
import { runWith } from './fake-terminal.ts';

const docs = join(import.meta.dirname, '../../docs');

test('brume help TOPIC shows the whole page, with its links as the names of topics', async () => {
  const { exitCode, stdout, stderr } = await runWith(['help', 'running']);
  assert.deepEqual({ exitCode, stderr }, { exitCode: 0, stderr: '' });
  assert.match(stdout, /^# Running Brume\n/);
  assert.match(stdout, /configuration\.md \(brume help configuration\)/);
  assert.doesNotMatch(stdout, /\]\(/);
});

test('a page that is generated is shown without the remark that says so', async () => {
  const { stdout } = await runWith(['help', 'configuration']);
  assert.match(stdout, /^# Configuration\n/);
});

test('brume help topics lists every topic, and each has its page', async () => {
  const { exitCode, stdout } = await runWith(['help', 'topics']);
  assert.equal(exitCode, 0);
  for (const { name, file, summary } of HELP_TOPICS) {
    assert.ok(stdout.includes(name) && stdout.includes(summary), name);
    assert.ok(existsSync(join(docs, file)), file);
  }
});

test('no topic has the name of a command, which would hide it', async () => {
  const { stdout } = await runWith(['help']);
  for (const { name } of HELP_TOPICS) assert.doesNotMatch(stdout, new RegExp(`^  ${name} `, 'm'));
});

test('each page has one topic, by one name', () => {
  for (const member of ['name', 'file'] as const)
    assert.equal(new Set(HELP_TOPICS.map((topic) => topic[member])).size, HELP_TOPICS.length, member);
});

test('a word that is neither is refused with the nearest name', async () => {
  const { exitCode, stderr } = await runWith(['help', 'algoritms']);
  assert.equal(exitCode, 2);
  assert.match(stderr, /no command or topic "algoritms".*nearest name is algorithms/);
});
