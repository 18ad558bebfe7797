import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const SCRIPTS = join(import.meta.dirname, '../../scripts');

for (const [script, option] of [
  ['bench', '--rounds'],
  ['test-long', '--histories'],
] as const) {
  test(`scripts/${script} --help says what it takes, and does nothing else`, () => {
    const { status, stdout } = spawnSync(join(SCRIPTS, script), ['--help'], { encoding: 'utf8' });
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(option));
  });
}

test('scripts/test-long refuses what it does not know, before it installs or builds anything', () => {
  for (const args of [['--history'], ['--histories', 'many'], ['--histories'], ['--seed', '']]) {
    const { status, stdout } = spawnSync(join(SCRIPTS, 'test-long'), args, { encoding: 'utf8' });
    assert.equal(status, 2, `${args}: ${stdout}`);
  }
});
