import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAULTS, reactionTo } from '../../../../src/stores/redis/fault-reactions.ts';

test('each row of the table of faults is proven by one test', () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
    .join('\n');
  const proven = [...tests.matchAll(/^ {2}proves\('(\w+)'/gm)].map(([, row]) => row);
  assert.deepEqual(proven.toSorted(), Object.keys(FAULTS).toSorted());
});

test('a fault is known by how the error begins, and what fits nothing is one all the same', () => {
  assert.equal(reactionTo("READONLY You can't write against a read only replica.").kind, 'readonly');
  assert.equal(reactionTo('BUSYKEY Target key name already exists.').kind, 'other');
  assert.equal(reactionTo('ERR it is not a READONLY replica').kind, 'other');
  assert.equal(reactionTo('').kind, 'other');
  for (const text of ["The user executing the script can't run this", 'ACL failure in script: User u has no'])
    assert.equal(reactionTo(`ERR ${text} command`).kind, 'noperm', 'by Redis, and by Valkey');
});
