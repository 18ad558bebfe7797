import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Place, places } from '../../scripts/docs/completions/completed-words.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folder = join(import.meta.dirname, '../../packaging/completions');

/** Lines typed, with the word that is to be completed last, and what is offered for them. */
type Complete = (lines: readonly (readonly string[])[], cwd: string) => string[][];

/** One run of the shell for all lines, an empty line behind the words of each. */
function offered(shell: string, args: readonly string[], script: string, cwd: string): string[][] {
  const output = execFileSync(shell, [...args, '-c', script], { encoding: 'utf8', cwd });
  return output
    .split(/^==$/m)
    .slice(0, -1)
    .map((part) => part.split('\n').filter((line) => line !== ''));
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

const bash: Complete = (lines, cwd) => {
  const calls = lines.map(
    (words) =>
      `COMP_WORDS=(brume ${quoted(words)}); COMP_CWORD=${words.length}; _brume; printf '%s\\n' "\${COMPREPLY[@]}"; echo '=='`,
  );
  return offered('bash', ['--norc'], `source ${folder}/brume.bash\n${calls.join('\n')}`, cwd);
};

/** With the parts of its completion system that show something in place of those that need a terminal. */
const zsh: Complete = (lines, cwd) => {
  const stand = `
    _describe() { local entry name=$@[-1]; for entry in "\${(@P)name}"; do print -r -- "\${entry%%:*}"; done }
    _files() { print -rl -- *(N) }
    _message() { : }
    compadd() { shift; print -rl -- "$@" }
    functions[complete_brume]="$(<${folder}/_brume)"`;
  const calls = lines.map(
    (words) => `words=(brume ${quoted(words)}); CURRENT=$#words; complete_brume; echo '=='`,
  );
  const all = offered('zsh', ['-f'], `${stand}\n${calls.join('\n')}`, cwd);
  return all.map((found, index) => found.filter((word) => word.startsWith(lines[index]?.at(-1) ?? '')));
};

const fish: Complete = (lines, cwd) => {
  const calls = lines.map((words) => `complete -C 'brume ${words.join(' ')}'; echo '=='`);
  const all = offered('fish', ['--no-config'], `source ${folder}/brume.fish\n${calls.join('\n')}`, cwd);
  return all.map((found) => found.map((line) => line.replace(/\t.*/, '')));
};

/** What must be offered at a place once a - is typed, and before. */
function expectedAt({ options, words }: Place, isOption: boolean): string[] {
  return (isOption ? options : words).map(({ word }) => word).sort();
}

for (const [name, complete] of Object.entries({ bash, zsh, fish })) {
  describe(name, () => {
    test('offers every command, group and option where it belongs, and nothing else', (t) => {
      const cwd = temporaryDirectory(t);
      const all = places();
      const typed = all.map(({ command }) => command.split(' ').slice(1));
      const plain = complete(
        typed.map((words) => [...words, '']),
        cwd,
      );
      const dashed = complete(
        typed.map((words) => [...words, '--']),
        cwd,
      );
      for (const [index, place] of all.entries()) {
        const isLeaf = place.words.length === 0;
        if (!isLeaf) assert.deepEqual(withoutOptions(plain[index]), expectedAt(place, false), place.command);
        assert.deepEqual([...(dashed[index] ?? [])].sort(), expectedAt(place, true), place.command);
      }
    });

    test('knows what stands behind an option, and goes on behind that', (t) => {
      const cwd = temporaryDirectory(t);
      writeFileSync(join(cwd, 'shop.yaml'), '');
      const [kinds, files, argument, behind, nothing, topic] = complete(
        [
          ['key', 'create', '--kind', ''],
          ['serve', '--config', ''],
          ['rules', 'apply', 'sh'],
          ['limit', '--socket', 'key', '--c'],
          ['limit', '--cost', ''],
          ['help', 'redis-s'],
        ],
        cwd,
      );
      assert.deepEqual(kinds, ['publishable', 'service']);
      assert.deepEqual(files, ['shop.yaml']);
      assert.deepEqual(argument, ['shop.yaml']);
      assert.deepEqual(behind, ['--cost']);
      assert.deepEqual(nothing, []);
      assert.deepEqual(topic, ['redis-server']);
    });
  });
}

function withoutOptions(words: readonly string[] = []): string[] {
  return words.filter((word) => !word.startsWith('-')).sort();
}
