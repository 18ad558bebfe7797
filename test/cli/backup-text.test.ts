import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsText } from '../../src/cli/commands/backup-text.ts';
import { COUNTERS_TABLE, DUMPED_TABLES } from '../../src/stores/sql/dump/dumped-tables.ts';

const TABLES = [...DUMPED_TABLES, COUNTERS_TABLE].map(({ name }) => name);

test('one row of a table is not spoken of in the plural, nor two in the singular', () => {
  const rows = (count: number) => countsText(Object.fromEntries(TABLES.map((name) => [name, count])));
  assert.equal(
    rows(1),
    '1 organisation, 1 tier, 1 user, 1 identity, 1 member, 1 session, 1 invitation, 1 management token, 1 project, 1 api key, 1 namespace, 1 exception, 1 removed exception, 1 change, 1 item of changes, 1 entry of the audit, 1 quota checkpoint, 1 quota reset, 1 row of usage, 1 batch of counters',
  );
  assert.equal(
    rows(2),
    '2 organisations, 2 tiers, 2 users, 2 identities, 2 members, 2 sessions, 2 invitations, 2 management tokens, 2 projects, 2 api keys, 2 namespaces, 2 exceptions, 2 removed exceptions, 2 changes, 2 items of changes, 2 entries of the audit, 2 quota checkpoints, 2 quota resets, 2 rows of usage, 2 batches of counters',
  );
});
