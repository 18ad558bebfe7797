import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Script } from 'node:vm';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { executablePath, version } from './packages.ts';

const REJECTED = /Code cache data rejected/;

/** How each code cache of this Node.js begins: V8's magic number, and its version. */
const HEAD = new Script('0').createCachedData().subarray(0, 8);

describe('the code cache in the executable', () => {
  it('is taken by V8, which says so where it is another version’s', (t) => {
    const { stdout, stderr } = started(executablePath('amd64'));
    assert.deepEqual({ stdout, stderr }, { stdout: `${version}\n`, stderr: '' });

    const bytes = readFileSync(executablePath('amd64'));
    // Those before it are Node.js's own.
    const cacheAt = bytes.lastIndexOf(HEAD);
    assert.ok(cacheAt > 0, 'there is none');
    bytes[cacheAt + 4] = (bytes[cacheAt + 4] ?? 0) ^ 1;
    const other = join(temporaryDirectory(t), 'brume');
    writeFileSync(other, bytes, { mode: 0o755 });
    assert.match(started(other).stderr, REJECTED);
  });
});

function started(path: string) {
  return spawnSync(path, ['--version'], { encoding: 'utf8' });
}
