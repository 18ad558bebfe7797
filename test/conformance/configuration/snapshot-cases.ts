import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ACTOR, BY, exceptionOf, newKey, RULE } from './samples.ts';
import type { Opened } from './stores.ts';

const ADD = { actor: ACTOR, replace: false };

/** What a node reads into its memory. */
export function snapshotCases(stores: Opened): void {
  async function newNamespace(name: string) {
    const project = await stores().tenancy.createProject({ name }, ACTOR);
    const { id } = await stores().policy.createNamespace(project.id, 'api', RULE, ACTOR);
    return { projectId: project.id, namespaceId: id };
  }

  it('a database with all its primary keys is whole; PostgreSQL that lacks one is being restored', async () => {
    const { source, sql } = stores();
    assert.equal(await source.isWhole(), true);
    if (sql.dialect === 'sqlite') return;
    const drop = 'alter table audit drop constraint audit_pkey';
    await sql.transaction((transaction) => transaction.script(drop));
    assert.equal(await source.isWhole(), false);
    await sql.transaction((transaction) =>
      transaction.script('alter table audit add primary key (revision)'),
    );
    assert.equal(await source.isWhole(), true);
  });

  it('keys are read with their hash while they can be used, of changed projects only', async () => {
    const { tenancy, clock, source } = stores();
    await tenancy.createKey(
      (await tenancy.createProject({ name: 'unchanged-keys' }, ACTOR)).id,
      newKey(),
      ACTOR,
    );
    const since = await stores().revision();
    const { id: projectId } = await tenancy.createProject({ name: 'read-keys' }, ACTOR);
    const soon = clock.nowMs() + 1000;
    const given = { endless: newKey(), ending: newKey(soon), revoked: newKey() };
    const endless = await tenancy.createKey(projectId, given.endless, ACTOR);
    const ending = await tenancy.createKey(projectId, given.ending, ACTOR);
    await tenancy.revokeKey(projectId, (await tenancy.createKey(projectId, given.revoked, ACTOR)).id, ACTOR);
    const stored = (
      { revokedAtMs: _, replaces: __, lastUsedAtMs: ___, ...key }: typeof endless,
      sha256: string,
    ) => ({
      ...key,
      scopes: JSON.stringify(key.scopes),
      sha256,
    });
    const byId = (left: { id: string }, right: { id: string }) => (left.id < right.id ? -1 : 1);
    assert.deepEqual(
      [...(await source.keysChangedAfter(since))].sort(byId),
      [stored(endless, given.endless.sha256), stored(ending, given.ending.sha256)].sort(byId),
    );
    clock.advance(1000);
    const left = await source.keysChangedAfter(since);
    assert.deepEqual(
      left.map(({ id }) => id),
      [endless.id],
    );
    assert.deepEqual(await source.keysChangedAfter(await stores().revision()), []);
  });

  it('exceptions are read once each, in pages, by their last change', async () => {
    const { exceptions, source } = stores();
    const { namespaceId } = await newNamespace('read-exceptions');
    const since = await stores().revision();
    const many = Array.from({ length: 25 }, (_, n) => exceptionOf(`user-${n}`));
    const first = await exceptions.addExceptions(namespaceId, many, ADD);
    const limits = [{ name: 'default', limit: 2 ** 53 - 1 }];
    const override = exceptionOf('user-3', { kind: 'override', limits, expiresAtMs: 2 ** 53 - 1 });
    const { value, revision } = await exceptions.addException(namespaceId, override, ADD);
    const { revision: last } = await exceptions.addException(namespaceId, exceptionOf('user-4'), {
      ...ADD,
      replace: true,
    });
    for (const pageSize of [1, 7, 25, 1000]) {
      const read = [];
      for (let after: { revision: number; id: string } | undefined; ; ) {
        const page = await source.exceptionsChangedAfter(
          since,
          after === undefined ? { pageSize } : { after, pageSize },
        );
        read.push(...page);
        after = page.at(-1);
        if (page.length < pageSize) break;
      }
      assert.equal(read.length, 26);
      assert.equal(new Set(read.map(({ id }) => id)).size, 26);
      const keys = read.map((item) => [item.revision, item.id] as const);
      assert.deepEqual(
        keys,
        [...keys].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)),
      );
      assert.deepEqual(read.at(-2), {
        id: value.id,
        namespaceId,
        kind: 'override',
        form: 'exact',
        match: 'user-3',
        limitsText: JSON.stringify(limits),
        createdAtMs: value.createdAtMs,
        expiresAtMs: 2 ** 53 - 1,
        revision,
      });
      assert.equal(read.at(-1)?.match, 'user-4');
    }
    const since1 = await source.exceptionsChangedAfter(first.revision, { pageSize: 100 });
    assert.deepEqual(
      since1.map((item) => item.revision),
      [revision, last],
    );
    assert.deepEqual(await source.exceptionsChangedAfter(last, { pageSize: 100 }), []);
  });

  it('removals are listed in their order; one written again after it is there', async () => {
    const { exceptions, source } = stores();
    const { namespaceId } = await newNamespace('removals');
    const since = await stores().revision();
    const listed: object[] = [];
    for (const match of ['b', 'a', 'b']) {
      const { value } = await exceptions.addException(namespaceId, exceptionOf(match), ADD);
      const { revision } = await exceptions.removeException(namespaceId, value, BY);
      listed.push({ namespaceId, kind: 'block', match, revision });
    }
    assert.deepEqual(await source.exceptionsRemovedAfter(since), listed);
    await exceptions.addException(namespaceId, exceptionOf('b'), ADD);
    assert.deepEqual(await source.exceptionsRemovedAfter(since), listed);
    const [row] = await source.exceptionsChangedAfter(since, { pageSize: 10 });
    assert.equal(row?.match, 'b');
    assert.ok(row !== undefined && row.revision > (await source.exceptionsRemovedAfter(since)).length);
  });

  it('the exceptions of a deleted namespace or project are gone, without being listed', async () => {
    const { exceptions, source, policy, tenancy } = stores();
    const { projectId, namespaceId } = await newNamespace('deleted-namespace');
    const other = await newNamespace('deleted-project');
    for (const id of [namespaceId, other.namespaceId]) {
      await exceptions.addException(id, exceptionOf('a'), ADD);
    }
    const since = await stores().revision();
    await policy.deleteNamespace(projectId, 'api', BY);
    await tenancy.deleteProject(other.projectId, BY);
    assert.deepEqual(await source.exceptionsRemovedAfter(since), []);
    const left = await source.exceptionsChangedAfter(0, { pageSize: 100_000 });
    assert.deepEqual(
      left.filter((row) => [namespaceId, other.namespaceId].includes(row.namespaceId)),
      [],
    );
  });
}
