import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AUDIT_ACTIONS } from '../../src/tenancy/audit.ts';

test('docs/audit.md lists the actions that the audit has, all of them and no others', () => {
  const text = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8');
  const [, table = ''] = text.split('Actions:\n');
  const listed = [...table.matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, action]) => action);
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  const inRows = listed.filter((action) => rows.some((row) => row.includes(`\`${action}\``)));
  assert.deepEqual([...new Set(inRows)].sort(), [...AUDIT_ACTIONS].sort());
});
