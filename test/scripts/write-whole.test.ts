import { deepEqual, equal, throws } from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { writeWhole } from '../../scripts/packaging/write-whole.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('a package stands at its place only when it is whole; until then the one of before does', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'brume.deb');
  writeFileSync(path, 'before');
  throws(
    () =>
      writeWhole(path, (beside) => {
        writeFileSync(beside, 'half');
        equal(readFileSync(path, 'utf8'), 'before');
        throw new Error('no room left');
      }),
    /no room left/,
  );
  deepEqual(readdirSync(directory), ['brume.deb']);
  equal(readFileSync(path, 'utf8'), 'before');

  equal(
    writeWhole(path, (beside) => writeFileSync(beside, 'after')),
    path,
  );
  deepEqual(readdirSync(directory), ['brume.deb']);
  equal(readFileSync(path, 'utf8'), 'after');
});
