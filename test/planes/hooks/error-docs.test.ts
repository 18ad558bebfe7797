import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CATALOGUE } from '../../../src/errors/catalogue.ts';

test('docs/api.md has every code of the catalogue with its status, and no other', () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| code | status |'));
  const documented = [...table.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  const catalogued = Object.entries(CATALOGUE).map(([code, { status }]) => [code, status]);
  assert.deepEqual(documented, catalogued);
});
