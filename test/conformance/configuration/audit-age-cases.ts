import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SqlTransaction } from '../../../src/stores/sql/sql.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR } from './samples.ts';
import type { Opened } from './stores.ts';

const DAY_MS = 86_400_000;

/** What the database itself refuses, and how entries go by their age. Comes last: it takes entries away. */
export function auditAgeCases(stores: Opened): void {
  const entriesOf = async () => {
    const entries: { revision: number; atMs: number; action: string }[] = [];
    for (;;) {
      const after = entries.at(-1)?.revision ?? -1;
      const page = await stores().audit.listAudit({ after, pageSize: 1000 });
      entries.push(...page);
      if (page.length < 1000) return entries;
    }
  };

  it('the database refuses to change, remove, replace or empty entries of the audit', async () => {
    const { sql, users } = stores();
    await users.createUser('kept-in-the-audit', ACTOR);
    const before = await entriesOf();
    const forbidden = [
      "update audit set actor = 'local:nobody'",
      'update audit set revision = revision + 1000000',
      'delete from audit',
      'delete from audit where revision = (select max(revision) from audit)',
      ...(sql.dialect === 'postgres'
        ? ['truncate table audit', 'truncate table audit, installation cascade']
        : [
            "insert or replace into audit select revision, at, 'x', null, null, null, null, 'x', 'x', null, null from audit",
          ]),
    ];
    for (const statement of forbidden) {
      const change = (transaction: SqlTransaction) => transaction.run(statement);
      await assert.rejects(
        sql.transaction(change),
        ({ cause }: Error) => /the audit is only added to/.test(String(cause)),
        statement,
      );
    }
    assert.deepEqual(await entriesOf(), before);
  });

  it('entries go by their age, in slices, the oldest first, and that they do is an entry', async () => {
    const { audit, organisations, clock, sql } = stores();
    for (let at = 0; at < 25; at++) await organisations.createOrganisation(`aged-${at}`, ACTOR);
    const oldBefore = (await entriesOf()).length;
    clock.advance(DAY_MS);
    const keptFromMs = clock.nowMs();
    await organisations.createOrganisation('not-aged', ACTOR);
    assert.equal(await audit.pruneAudit(10), 0, 'nothing has aged yet');
    await audit.ageAudit(keptFromMs);
    await audit.ageAudit(keptFromMs);
    await audit.ageAudit(keptFromMs - 1000);
    const all = await entriesOf();
    const byAge = all.toSorted((one, other) => one.atMs - other.atMs || one.revision - other.revision);
    assert.equal(await audit.pruneAudit(10), 10);
    const oldest = new Set(byAge.slice(0, 10));
    assert.deepEqual(
      await entriesOf(),
      all.filter((entry) => !oldest.has(entry)),
    );
    let removed = 10;
    // At once: none fails, and none removes what another does.
    for (const count of await Promise.all([1, 2, 3, 4].map(() => audit.pruneAudit(100)))) removed += count;
    for (let count = 1; count > 0; removed += count) count = await audit.pruneAudit(1000);
    assert.equal(removed, oldBefore);
    assert.equal(await audit.pruneAudit(1000), 0);
    const left = await entriesOf();
    assert.deepEqual(
      left.map(({ action }) => action),
      ['organisation.create', 'audit.prune'],
    );
    const [pruned] = await audit.listAudit({ action: 'audit.prune', pageSize: 10 });
    assert.deepEqual(
      [pruned?.actor, pruned?.after],
      ['brume', { removedBefore: new Date(keptFromMs).toISOString(), entries: oldBefore }],
    );
    const younger = sql.transaction((transaction) => transaction.run('delete from audit where at >= 0'));
    await assert.rejects(younger, brumeError('store_unavailable'));
    assert.equal((await entriesOf()).length, 2);
  });

  it('of nodes that find the same age at once one says so', async () => {
    const { audit, organisations, clock } = stores();
    clock.advance(DAY_MS);
    await organisations.createOrganisation('aged-together', ACTOR);
    const pruned = async () => (await audit.listAudit({ action: 'audit.prune', pageSize: 10 })).length;
    const before = await pruned();
    await Promise.all([1, 2, 3, 4, 5].map(() => audit.ageAudit(clock.nowMs())));
    assert.equal(await pruned(), before + 1);
  });
}
