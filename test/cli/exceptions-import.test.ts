import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { importLines } from '../../src/cli/commands/exceptions/import-file.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { socketServer } from '../client/socket-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runWith } from './fake-terminal.ts';

const NOW_MS = Date.parse('2026-07-01T12:00:00Z');

const read = (text: string) => [...importLines(text, 'f', NOW_MS)];

test('a file has a match a line, and may have an end and a reason', () => {
  const text = [
    '\ufeffmatch,until,reason\r',
    '# a comment, with commas, and "quotes',
    '',
    '203.0.113.7',
    ' 198.51.100.0/24 , 2h , scans\r',
    'a,2030-01-01T00:00:00Z',
    '"x,y","","said ""no"", twice"',
    '"#hash",,r',
  ].join('\n');
  assert.deepEqual(read(text), [
    { line: 4, match: '203.0.113.7', until: undefined, reason: undefined },
    { line: 5, match: '198.51.100.0/24', until: '2026-07-01T14:00:00.000Z', reason: 'scans' },
    { line: 6, match: 'a', until: '2030-01-01T00:00:00Z', reason: undefined },
    { line: 7, match: 'x,y', until: undefined, reason: 'said "no", twice' },
    { line: 8, match: '#hash', until: undefined, reason: 'r' },
  ]);
  assert.deepEqual(read(''), []);
  assert.deepEqual(read('match').length, 0);
});

const FAULTS: [string, RegExp][] = [
  ['a\n"b', /^f:2: a quote is not closed, or not at the end of its field\.$/],
  ['"a"b', /^f:1: a quote/],
  ['a,1h,r,x', /^f:1: has more than match,until,reason; put a reason with commas in "quotes"\.$/],
  [',1h', /^f:1: has no match\.$/],
];
for (const [text, said] of FAULTS) {
  test(`a line that is wrong is named: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => read(text),
      (error) => error instanceof UsageError && said.test(error.message),
    );
  });
}

interface Portion {
  readonly entries: readonly { readonly match: string }[];
  readonly replace: boolean;
}

/** Takes portions until `answer` has another answer; undefined breaks the connection. */
async function importing(
  t: Parameters<typeof temporaryDirectory>[0],
  answer: (portion: Portion, index: number) => [number, unknown] | undefined = () => [200, undefined],
) {
  const portions: Portion[] = [];
  const socket = await socketServer(t, async (request, response) => {
    const portion: Portion = JSON.parse(await textOf(request));
    portions.push(portion);
    const [status, body = { added: portion.entries.length - 1, replaced: 1 }] =
      answer(portion, portions.length - 1) ?? [];
    if (status === undefined) request.socket.destroy();
    else response.writeHead(status).end(JSON.stringify(body));
  });
  const file = join(temporaryDirectory(t), 'list.txt');
  const lines = Array.from({ length: 2500 }, (_, index) => `user-${index + 1}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const run = (...options: string[]) =>
    runWith(['block', 'import', 'login', file, '--project', 'shop', '--socket', socket, ...options]);
  return { portions, file, run };
}

test('a long file goes in portions of a thousand, with the options for what a line does not say', async (t) => {
  const { portions, run } = await importing(t);
  const { exitCode, stdout } = await run('--until', '2030-01-01T00:00:00Z', '--reason', 'list', '--replace');
  assert.equal(exitCode, 0);
  assert.equal(stdout, 'Imported 2500 blocks into login of shop: 2497 new, 3 in the place of others.');
  assert.deepEqual(
    portions.map(({ entries, replace }) => [entries.length, replace]),
    [
      [1000, true],
      [1000, true],
      [500, true],
    ],
  );
  assert.deepEqual(portions[1]?.entries[0], {
    match: 'user-1001',
    reason: 'list',
    expiresAt: '2030-01-01T00:00:00Z',
  });
});

test('a refused line is named as the file has it, with the line to go on with; going on imports the rest', async (t) => {
  let isRefusing = true;
  const { portions, file, run } = await importing(t, (_, index) =>
    isRefusing && index === 1
      ? [
          400,
          {
            code: 'bad_request',
            title: 't',
            detail: 'entries[7].match must not be there twice; entries[2] is for it too.',
            field: 'entries[7].match',
          },
        ]
      : [200, undefined],
  );
  const { exitCode, stdout } = await run();
  assert.equal(exitCode, 1);
  assert.deepEqual(stdout.split('\n'), [
    `${file}:1008: match must not be there twice; line 1003 is for it too.`,
    'Imported 1000 blocks into login of shop: 999 new, 1 in the place of others.',
    'Nothing of lines 1001 to 2000 was imported. Correct the line and go on with: --from-line 1001',
  ]);
  isRefusing = false;
  assert.equal((await run('--from-line', '1001')).exitCode, 0);
  assert.deepEqual(
    portions.slice(2).map(({ entries }) => [entries[0]?.match, entries.length]),
    [
      ['user-1001', 1000],
      ['user-2001', 500],
    ],
  );
});

test('where no answer came it is said that the outcome is unknown, as JSON too', async (t) => {
  const { run } = await importing(t, (_, index) => (index === 1 ? undefined : [200, undefined]));
  const { exitCode, stdout } = await run('--json');
  assert.equal(exitCode, 1);
  const { added, replaced, failure } = JSON.parse(stdout);
  const { line, code, fromLine, toLine, isUnknown } = failure;
  assert.deepEqual(
    [added, replaced, line, code, fromLine, toLine, isUnknown],
    [999, 1, null, 'connection_broken', 1001, 2000, true],
  );
  const away = await importing(t, () => [503, { code: 'store_unavailable', title: 'away' }]);
  assert.match(
    (await away.run()).stdout,
    /Whether lines 1 to 1000 were imported is not known\. Go on with: --from-line 1 --replace$/,
  );
});

test('a file with a wrong line is refused before anything is sent', async (t) => {
  const { portions, file, run } = await importing(t);
  writeFileSync(file, 'a\n,\n');
  const { exitCode, stderr } = await run();
  assert.deepEqual([exitCode, stderr], [2, `brume: ${file}:2: has no match.`]);
  assert.deepEqual(portions, []);
});
