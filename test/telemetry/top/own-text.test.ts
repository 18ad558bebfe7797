import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownText } from '../../../src/telemetry/top/own-text.ts';

test('a copy is the same text, whatever its characters and length', () => {
  for (const text of ['', 'ann', 'jörg', '李小龍', '🦊'.repeat(128), 'x'.repeat(20_000), 'é'.repeat(682)]) {
    assert.equal(ownText(text), text);
  }
});
