import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { secretSetting } from '../../src/config/secrets.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fakeBrume } from './fake-brume.ts';

/** As /dev/zero into standard input: it never ends, and says so if it is read far beyond what anything takes. */
async function* endless(): AsyncGenerator<Uint8Array> {
  const portion = new Uint8Array(1024 * 1024);
  for (let sent = 0; sent < 200; sent += 1) yield portion;
  throw new Error('read on and on');
}

const COMMANDS: readonly [line: string, bound: string][] = [
  ['rules diff FILE', '16 MiB'],
  ['rules apply FILE', '16 MiB'],
  ['block import login FILE', '128 MiB'],
  ['exempt import login FILE', '128 MiB'],
  ['namespace create shop login --rule FILE', '1 MiB'],
];

for (const [line, bound] of COMMANDS) {
  test(`what never ends is read up to ${bound}, and refused: ${line}`, async (t) => {
    const { run, calls } = await fakeBrume(t, () => [500, {}]);
    for (const [file, what] of [
      ['/dev/zero', '/dev/zero'],
      ['-', 'Standard input'],
    ] as const) {
      const said = await run(line.replace('FILE', file).split(' '), { input: endless() });
      assert.equal(said.exitCode, 2);
      assert.equal(said.stderr, `brume: ${what} is larger than ${bound}; it was not read to its end.`);
    }
    assert.deepEqual(calls, []);
  });
}

test('a file with one value is bounded too: a token, a URL, a secret of the configuration', async (t) => {
  const { run } = await fakeBrume(t, () => [500, {}]);
  const file = join(temporaryDirectory(t), 'token');
  writeFileSync(file, 'x'.repeat(64 * 1024 + 1), { mode: 0o600 });
  const token = await run(['project', 'list', '--url', 'https://brume.invalid', '--token-file', file]);
  assert.match(`${token.exitCode} ${token.stderr}`, /^2 /);
  const given = new Map([['BRUME_REDIS_URL_FILE', { text: '/dev/zero', where: 'environment' }]]);
  assert.equal(
    secretSetting('BRUME_REDIS_URL', given, { env: {} }).fault?.problem,
    "the file can't be read (EFBIG)",
  );
});

test('a line that is not UTF-8 is named, and a list of more than a million lines is refused', async (t) => {
  const { run, calls } = await fakeBrume(t, () => [500, {}]);
  const file = join(temporaryDirectory(t), 'list');
  writeFileSync(file, Buffer.from('ok\ntwo\na\xff\n', 'latin1'));
  const unreadable = await run(['block', 'import', 'login', file]);
  assert.equal(unreadable.stderr, `brume: ${file} is not UTF-8, in line 3.`);
  writeFileSync(file, 'a\n'.repeat(1_000_001));
  const long = await run(['block', 'import', 'login', file]);
  assert.match(
    long.stderr,
    /list:1000001: is one line too many: import it in files of 1000000 lines at most/,
  );
  assert.deepEqual([unreadable.exitCode, long.exitCode, calls.length], [2, 2, 0]);
});
