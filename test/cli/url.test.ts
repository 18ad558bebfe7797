import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { load } from '../config/faults-of.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runWith } from './fake-terminal.ts';

async function start(t: TestContext) {
  const asked: { readonly authorization: string | undefined; readonly author: unknown }[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push({ authorization: headers.authorization, author: headers['x-brume-author'] });
    response.end('{"items":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokenFile = join(temporaryDirectory(t), 'token');
  writeFileSync(tokenFile, 'brume_mt_abc\n', { mode: 0o600 });
  return { asked, url, tokenFile };
}

test('--url asks the management plane with the token of a file, and states no local name', async (t) => {
  const { asked, url, tokenFile } = await start(t);
  const run = await runWith(['project', 'list', '--url', url, '--token-file', tokenFile]);
  assert.equal(run.exitCode, 0, run.stderr);
  assert.deepEqual(asked, [{ authorization: 'Bearer brume_mt_abc', author: undefined }]);
});

test('without a file the token comes from BRUME_TOKEN, which no server minds', async (t) => {
  const { asked, url } = await start(t);
  process.env.BRUME_TOKEN = 'brume_mt_env';
  t.after(() => delete process.env.BRUME_TOKEN);
  assert.equal((await runWith(['project', 'list', '--url', url])).exitCode, 0);
  assert.equal(asked[0]?.authorization, 'Bearer brume_mt_env');
  assert.ok(load({ BRUME_TOKEN: 'brume_mt_env' }));
});

test('a token never goes over a network in the clear, and never without a place to come from', async (t) => {
  const { asked, url, tokenFile } = await start(t);
  const port = new URL(url).port;
  const refused: [string[], RegExp][] = [
    [['--url', `http://192.0.2.1:${port}`, '--token-file', tokenFile], /use https/],
    [['--url', `http://127.0.0.1.example.org:${port}`, '--token-file', tokenFile], /use https/],
    [['--url', 'brume.example.org', '--token-file', tokenFile], /Expected a URL/],
    [['--url', 'https://a:b@brume.example.org', '--token-file', tokenFile], /without credentials/],
    [['--url', url], /--token-file/],
    [['--url', url, '--socket', '/run/x.sock'], /cannot be used with/],
    [['--token-file', tokenFile], /goes with --url/],
    [['--url', url, '--token-file', `${tokenFile}.absent`], /ENOENT/],
  ];
  for (const [options, message] of refused) {
    const { exitCode, stderr } = await runWith(['project', 'list', ...options]);
    assert.equal(exitCode, 2, options.join(' '));
    assert.match(stderr, message);
  }
  assert.deepEqual(asked, []);
});

test('a token file that everybody may read, or that holds no token, is refused without showing it', async (t) => {
  const { asked, url, tokenFile } = await start(t);
  const run = () => runWith(['project', 'list', '--url', url, '--token-file', tokenFile]);
  chmodSync(tokenFile, 0o644);
  assert.match((await run()).stderr, /chmod 600/);
  chmodSync(tokenFile, 0o600);
  for (const text of ['', 'two words', 'brume_mt_a\r\nX-Evil: 1', 'é'.repeat(9)]) {
    writeFileSync(tokenFile, text);
    const { exitCode, stderr } = await run();
    assert.equal(exitCode, 2);
    assert.match(stderr, /holds no token/);
    assert.ok(text === '' || !stderr.includes(text));
  }
  assert.deepEqual(asked, []);
});
