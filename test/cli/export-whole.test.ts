import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { socketServer } from '../client/socket-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const RULES = {
  project: 'shop',
  namespaces: {
    login: {
      limits: [{ name: 'minute', algorithm: 'gcra', limit: 5, window: '1m' }],
      blocks: Array.from({ length: 500 }, (_, index) => ({ match: `user-${index}` })),
    },
  },
};

test('an export that the disk has no room for leaves the earlier file as it was, and no other', async (t) => {
  const socket = await socketServer(t, (_, response) => {
    response.writeHead(200).end(JSON.stringify({ revision: 7, rules: RULES, leftOut: [] }));
  });
  const directory = temporaryDirectory(t);
  const path = join(directory, 'shop.yaml');
  writeFileSync(path, 'project: shop\nnamespaces: {}\n');
  // A file may have 1 KiB: a write behind that is refused half-way, as on a full disk.
  const line = 'ulimit -f 1 && exec "$0" src/main.ts rules export shop -o "$1" --socket "$2"';
  const child = spawn('bash', ['-c', line, process.execPath, path, socket], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const [stderr, [exitCode]] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
  assert.match(stderr, /shop\.yaml can't be written: EFBIG/);
  assert.equal(exitCode, 1);
  assert.equal(readFileSync(path, 'utf8'), 'project: shop\nnamespaces: {}\n');
  assert.deepEqual(readdirSync(directory), ['shop.yaml']);
});
