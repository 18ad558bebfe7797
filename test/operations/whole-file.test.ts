import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { OperationError } from '../../src/operations/operation-error.ts';
import { writeWholeFile } from '../../src/operations/whole-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const writing = (text: string) => (file: FileHandle) => file.writeFile(text);
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a file is replaced as a whole: what fails half-way leaves what was there, and nothing beside it', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'shop.yaml');
  writeFileSync(path, 'all of the old');
  const failing = writeWholeFile(path, async (file) => {
    await file.writeFile('half of the');
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  });
  await assert.rejects(failing, (error) => {
    assert.ok(error instanceof OperationError);
    assert.equal(error.message, `${path} can't be written: ENOSPC: no space left on device, write`);
    return true;
  });
  assert.equal(readFileSync(path, 'utf8'), 'all of the old');
  assert.deepEqual(readdirSync(directory), ['shop.yaml']);
  await writeWholeFile(path, writing('new'));
  assert.equal(readFileSync(path, 'utf8'), 'new');
  assert.deepEqual(readdirSync(directory), ['shop.yaml']);
});

test('a file keeps its mode unless one is given, and a new one gets what the umask leaves', async (t) => {
  const directory = temporaryDirectory(t);
  const [kept, fresh, secret] = ['kept', 'fresh', 'secret'].map((name) => join(directory, name));
  if (kept === undefined || fresh === undefined || secret === undefined) throw new Error('names');
  for (const path of [kept, secret]) writeFileSync(path, 'old');
  chmodSync(kept, 0o640);
  chmodSync(secret, 0o644);
  await writeWholeFile(kept, writing('new'));
  await writeWholeFile(fresh, writing('new'));
  await writeWholeFile(secret, writing('new'), { mode: 0o600 });
  assert.deepEqual([kept, fresh, secret].map(modeOf), [0o640, 0o666 & ~process.umask(), 0o600]);
});

test('a link stays one, and what it leads to is replaced', async (t) => {
  const directory = temporaryDirectory(t);
  const [target, link] = [join(directory, 'target'), join(directory, 'link')];
  writeFileSync(target, 'old');
  symlinkSync('target', link);
  await writeWholeFile(link, writing('new'));
  assert.equal(readFileSync(target, 'utf8'), 'new');
  assert.deepEqual(
    readdirSync(directory, { withFileTypes: true })
      .map((entry) => entry.isSymbolicLink())
      .sort(),
    [false, true],
  );
});

test('what is no file is written to, never replaced', async () => {
  await writeWholeFile('/dev/null', writing('new'), { mode: 0o600 });
  assert.ok(statSync('/dev/null').isCharacterDevice());
  await assert.rejects(writeWholeFile('/dev', writing('new')), /\/dev can't be written: EISDIR/);
});
