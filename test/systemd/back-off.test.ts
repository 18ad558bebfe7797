import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SCRIPT = join(import.meta.dirname, '../../systemd/back-off');

/** Starts by a clock that stands in a file, and for which `sleep` takes no time. */
function starts(t: TestContext) {
  const directory = temporaryDirectory(t);
  const [clock, slept] = [join(directory, 'clock'), join(directory, 'slept')];
  const runtime = temporaryDirectory(t);
  writeFileSync(join(directory, 'date'), `#!/bin/sh\ncat ${clock}\n`, { mode: 0o755 });
  writeFileSync(join(directory, 'sleep'), `#!/bin/sh\necho "$1" >${slept}\n`, { mode: 0o755 });
  let nowSeconds = 1_000_000;
  return {
    /** So long after the end of the one before; gives the seconds that it waited. */
    start(afterSeconds: number, says = /^$|^the last \d+ starts did not last: waiting/): number {
      nowSeconds += afterSeconds;
      writeFileSync(clock, `${nowSeconds}\n`);
      writeFileSync(slept, '0');
      const env = { PATH: `${directory}:/usr/bin:/bin`, RUNTIME_DIRECTORY: runtime };
      const { status, stderr } = spawnSync('sh', [SCRIPT], { env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stderr, says);
      const delay = Number(readFileSync(slept, 'utf8'));
      nowSeconds += delay;
      return delay;
    },
    /** Where the starts are counted. */
    file: join(runtime, 'starts'),
    /** As systemd does once somebody stops the unit. */
    stop: () => rmSync(join(runtime, 'starts')),
  };
}

test('starts that follow each other wait longer and longer, and half a minute at most', (t) => {
  const { start } = starts(t);
  const delays = Array.from({ length: 10 }, () => start(1));
  assert.deepEqual(delays, [0, 0, 1, 2, 4, 8, 16, 30, 30, 30]);
});

test('a process that has lasted a minute begins anew, and so does one that was stopped', (t) => {
  const { start, stop } = starts(t);
  for (let round = 0; round < 6; round++) start(1);
  assert.equal(start(61), 0);
  assert.deepEqual([start(1), start(1)], [0, 1]);
  stop();
  assert.deepEqual([start(1), start(1)], [0, 0]);
});

test('a clock that was set back holds nothing up', (t) => {
  const { start } = starts(t);
  assert.deepEqual([start(0), start(-100_000), start(1)], [0, 0, 1]);
});

for (const [what, text] of [
  ['empty, as after a full disk', ''],
  ['no numbers', 'abc def\n'],
  ['cut off', '4'],
  ['of zeros in front', '08 09\n'],
  ['too long', `${'9'.repeat(40)} ${'9'.repeat(40)}\n`],
] as const) {
  test(`a count of starts that is ${what} holds nothing up`, (t) => {
    const { start, file } = starts(t);
    writeFileSync(file, text);
    assert.deepEqual([start(0), start(1), start(1)], [0, 0, 1]);
  });
}

test('where starts can not be counted there is a second between them', (t) => {
  const { start, file } = starts(t);
  mkdirSync(file);
  const says = /^starts can't be counted in .*\/starts: waiting 1 s before the next$/m;
  assert.deepEqual([start(0, says), start(1, says), start(1, says)], [1, 1, 1]);
});
