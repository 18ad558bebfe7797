import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { examplesOf } from '../../src/cli/define-command.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { Session } from '../../src/cli/session.ts';
import { runWith, silentTerminal } from './fake-terminal.ts';

const commands = leavesOf(buildProgram(new Session(silentTerminal())), []);

function leavesOf(
  command: Command,
  path: readonly string[],
): { path: readonly string[]; command: Command }[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

test('the commands of the contract are there', () => {
  assert.deepEqual(
    commands.map(({ path }) => path.join(' ')),
    [
      'serve',
      'check-config',
      'doctor',
      'migrate',
      'backup',
      'restore',
      'move',
      ...['create', 'list', 'show', 'rename', 'delete', 'members', 'add', 'role', 'remove'].map(
        (verb) => `org ${verb}`,
      ),
      ...[
        'invite',
        'list',
        'show',
        'disable',
        'enable',
        'delete',
        'link',
        'unlink',
        'identities',
        'sessions',
        'password',
      ].map((verb) => `user ${verb}`),
      ...['create', 'list', 'revoke'].map((verb) => `token ${verb}`),
      'whoami',
      'audit',
      ...['create', 'list', 'show', 'set', 'delete'].map((verb) => `tier ${verb}`),
      ...['create', 'list', 'show', 'tier', 'delete'].map((verb) => `project ${verb}`),
      ...['create', 'list', 'show', 'rotate', 'revoke'].map((verb) => `key ${verb}`),
      ...['create', 'list', 'show', 'update', 'delete'].map((verb) => `namespace ${verb}`),
      ...['add', 'list', 'check', 'update', 'remove', 'import'].map((verb) => `block ${verb}`),
      ...['add', 'list', 'update', 'remove', 'import'].map((verb) => `exempt ${verb}`),
      ...['add', 'list', 'update', 'remove', 'import'].map((verb) => `override ${verb}`),
      ...['apply', 'diff', 'export', 'history', 'rollback', 'schema'].map((verb) => `rules ${verb}`),
      'limit',
      'peek',
      'reset',
      'status',
      'top',
      'usage',
      ...['list', 'release'].map((verb) => `lease ${verb}`),
      ...['list', 'show', 'check'].map((verb) => `runbook ${verb}`),
      ...[
        'redis-failover',
        'redis-hang',
        'redis-flush',
        'redis-loss',
        'postgres-loss',
        'node-loss',
        'restart',
      ].map((drill) => `drill ${drill}`),
      'snippet',
      'version',
      'help',
    ],
  );
});

describe('every command has help with examples that call it, and --json', () => {
  for (const { path, command } of commands) {
    test(path.join(' '), async () => {
      const { exitCode, stdout, stderr } = await runWith(['help', ...path]);
      assert.equal(exitCode, 0);
      assert.equal(stderr, '');
      assert.deepEqual(await runWith([...path, '--help']), { exitCode, stdout, stderr, questions: [] });
      const examples = examplesOf(command);
      assert.ok(examples.length > 0);
      for (const example of examples) {
        assert.ok(example.includes(`brume ${path.join(' ')}`), example);
        assert.ok(stdout.includes(example), example);
      }
      const hasJson = command.options.some(({ long }) => long === '--json');
      assert.equal(hasJson, !['serve', 'help'].includes(path.join(' ')));
    });
  }
});

test('a command line that can’t be understood is exit code 2, with nothing on standard output', async () => {
  for (const args of [
    [],
    ['nope'],
    ['project'],
    ['project', 'nope'],
    ['limit', 'a'],
    ['version', 'x'],
    ['help', 'nope'],
    ['version', '--nope'],
    ['project', 'show', ''],
  ]) {
    const { exitCode, stdout, stderr } = await runWith(args);
    assert.equal(exitCode, 2, args.join(' '));
    assert.equal(stdout, '');
    assert.notEqual(stderr, '');
  }
});
