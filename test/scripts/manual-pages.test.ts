import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commandTree, leavesOf, wordsOf } from '../../scripts/docs/command-tree.ts';
import { prose } from '../../scripts/docs/man/roff.ts';
import { VARIABLES } from '../../src/config/options.ts';
import { rulesJsonSchema } from '../../src/policy/rules/json-schema.ts';

const folder = join(import.meta.dirname, '../../packaging/man');
const path = (page: string) => join(folder, page);

/** As somebody reads it, on lines that nothing has to be broken for. */
function shown(page: string): string {
  const env = { ...process.env, MANWIDTH: '1000', LC_ALL: 'C.UTF-8', MANPAGER: 'cat' };
  const { status, stdout, stderr } = spawnSync('man', ['-l', path(page)], { encoding: 'utf8', env });
  assert.equal(status, 0, stderr);
  return stdout.replace(/ +/g, ' ');
}

for (const page of ['brume.1', 'brume.conf.5', 'brume-rules.5']) {
  describe(page, () => {
    test('is read by man without a warning, as lintian asks it', () => {
      const env = { ...process.env, LC_ALL: 'C.UTF-8', MANROFFSEQ: '', MANWIDTH: '80' };
      const options = ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z'];
      const { status, stderr } = spawnSync('man', [...options, path(page)], { encoding: 'utf8', env });
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    });

    test('is read by mandoc without a complaint, about its style neither', () => {
      const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'all', path(page)], {
        encoding: 'utf8',
      });
      assert.equal(stdout + stderr, '');
    });
  });
}

test('brume(1) has every command and every option, as they are typed', () => {
  const page = shown('brume.1');
  for (const command of leavesOf(commandTree())) {
    const words = wordsOf(command).join(' ');
    const part =
      page.split(/^ (?=brume )/m).find((text) => new RegExp(`^${words}( [<[].*)?$`, 'm').test(text)) ?? '';
    assert.notEqual(part, '', words);
    for (const { long } of command.options) assert.ok(part.includes(`${long}`), `${words} ${long}`);
  }
});

test('brume.conf(5) has every setting', () => {
  const page = shown('brume.conf.5');
  for (const variable of VARIABLES) assert.match(page, new RegExp(`^ ${variable}( |$)`, 'm'));
});

test('brume-rules(5) has every member that the schema has', () => {
  const page = shown('brume-rules.5');
  const names = [...JSON.stringify(rulesJsonSchema()).matchAll(/"(\w+)":\{"title"/g)].map(([, name]) => name);
  assert.ok(names.length > 20);
  for (const name of names) assert.match(page, new RegExp(`^ ${name}( |$)`, 'm'));
});

test('what roff would take for a request or a typographic sign is shown as it was written', () => {
  const text = ".TH at the start, 'so', a\\b, --json, `x`, ^~ and …";
  const { stdout } = spawnSync('mandoc', ['-T', 'utf8', '-O', 'width=200'], {
    encoding: 'utf8',
    input: `.TH X 1 2026-11-30\n.SH NAME\nx \\- y\n.SH TEXT\n${prose(text)}\n`,
  });
  // Bold is written twice, with a step back between.
  const plain = stdout.replaceAll(new RegExp(`.${String.fromCharCode(8)}`, 'g'), '');
  assert.ok(plain.includes(text.replaceAll('`', '')), plain);
});

test('the pages are those that are there', () => {
  for (const page of ['brume.1', 'brume.conf.5', 'brume-rules.5'])
    assert.match(readFileSync(path(page), 'utf8'), /^\.\\" Made by npm run docs/);
});
