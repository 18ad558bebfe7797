import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY, MAX_RULE, newKey, RULE } from './samples.ts';
import type { Opened } from './stores.ts';

/** Namespaces and their rules. */
export function namespaceCases(stores: Opened): void {
  it('a namespace comes back as it was stored; its rule keeps every digit (B18)', async () => {
    const project = await stores().tenancy.createProject({ name: 'namespaces' }, ACTOR);
    const created = await stores().policy.createNamespace(project.id, 'api', MAX_RULE, ACTOR);
    assert.match(created.id, /^ns_[0-9A-Z]{24}$/);
    assert.equal(created.version, 1);
    assert.equal(created.rule.limits[0]?.limit, 9_007_199_254_740_991);
    assert.deepEqual(await stores().policy.findNamespace(project.id, 'api'), created);
    await stores().policy.createNamespace(project.id, '0-first', RULE, ACTOR);
    assert.deepEqual(
      (await stores().policy.listNamespaces(project.id)).map(({ name }) => name),
      ['0-first', 'api'],
    );
    assert.equal(await stores().policy.findNamespace(project.id, 'none'), undefined);
    assert.equal(await stores().policy.findNamespace('prj_none', 'api'), undefined);
  });

  it('a changed rule keeps the namespace and raises its version', async () => {
    const project = await stores().tenancy.createProject({ name: 'changing' }, ACTOR);
    const created = await stores().policy.createNamespace(project.id, 'api', RULE, ACTOR);
    stores().clock.advance(5000);
    const changed = await stores().policy.updateNamespace(project.id, 'api', MAX_RULE, BY);
    const expected = { ...created, rule: MAX_RULE, version: 2, updatedAtMs: created.createdAtMs + 5000 };
    assert.deepEqual(changed, expected);
    assert.deepEqual(await stores().policy.findNamespace(project.id, 'api'), expected);
  });

  it('the same namespace name is a conflict in one project and none in another', async () => {
    const one = await stores().tenancy.createProject({ name: 'one' }, ACTOR);
    const two = await stores().tenancy.createProject({ name: 'two' }, ACTOR);
    await stores().policy.createNamespace(one.id, 'api', RULE, ACTOR);
    await stores().policy.createNamespace(two.id, 'api', RULE, ACTOR);
    const before = await stores().revision();
    await assert.rejects(
      stores().policy.createNamespace(one.id, 'api', MAX_RULE, ACTOR),
      brumeError('conflict'),
    );
    assert.equal(await stores().revision(), before);
    assert.deepEqual((await stores().policy.findNamespace(one.id, 'api'))?.rule, RULE);
  });

  it('what does not exist is named, and nothing changes', async () => {
    const { id } = await stores().tenancy.createProject({ name: 'empty' }, ACTOR);
    const before = await stores().revision();
    const none = 'prj_none';
    const unknownProject = brumeError('unknown_project');
    await assert.rejects(stores().tenancy.deleteProject(none, BY), unknownProject);
    await assert.rejects(stores().tenancy.listKeys(none), unknownProject);
    await assert.rejects(stores().tenancy.createKey(none, newKey(), ACTOR), unknownProject);
    await assert.rejects(stores().policy.listNamespaces(none), unknownProject);
    await assert.rejects(stores().policy.createNamespace(none, 'api', RULE, ACTOR), unknownProject);
    await assert.rejects(stores().policy.updateNamespace(none, 'api', RULE, BY), unknownProject);
    await assert.rejects(stores().policy.deleteNamespace(none, 'api', BY), unknownProject);
    await assert.rejects(
      stores().policy.updateNamespace(id, 'api', RULE, BY),
      brumeError('unknown_namespace'),
    );
    await assert.rejects(stores().policy.deleteNamespace(id, 'api', BY), brumeError('unknown_namespace'));
    assert.deepEqual(await stores().tenancy.listKeys(id), []);
    assert.deepEqual(await stores().policy.listNamespaces(id), []);
    assert.equal(await stores().revision(), before);
  });

  it('a snapshot reads the namespaces of changed projects only', async () => {
    const quiet = await stores().tenancy.createProject({ name: 'quiet' }, ACTOR);
    await stores().policy.createNamespace(quiet.id, 'api', RULE, ACTOR);
    const before = await stores().revision();
    const busy = await stores().tenancy.createProject({ name: 'busy' }, ACTOR);
    await stores().policy.createNamespace(busy.id, 'a', RULE, ACTOR);
    await stores().policy.createNamespace(busy.id, 'b', MAX_RULE, ACTOR);
    const rows = await stores().source.namespacesChangedAfter(before);
    assert.deepEqual(rows.map(({ projectId, name }) => [projectId, name]).sort(), [
      [busy.id, 'a'],
      [busy.id, 'b'],
    ]);
  });

  it('changes made at once get one number each', async () => {
    const { id } = await stores().tenancy.createProject({ name: 'parallel' }, ACTOR);
    const before = await stores().revision();
    const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
    await Promise.all(names.map((name) => stores().policy.createNamespace(id, name, RULE, ACTOR)));
    assert.equal(await stores().revision(), before + 20);
    assert.equal((await stores().policy.listNamespaces(id)).length, 20);
  });

  it('a stored rule that cannot be read is an error that names the namespace', async () => {
    const { id } = await stores().tenancy.createProject({ name: 'damaged' }, ACTOR);
    await stores().policy.createNamespace(id, 'api', RULE, ACTOR);
    await stores().sql.transaction((transaction) =>
      transaction.run('update namespaces set rule = ?2 where project_id = ?1', [id, '{"limits":[]}']),
    );
    await assert.rejects(stores().policy.findNamespace(id, 'api'), (error) => {
      brumeError('internal')(error);
      return error instanceof Error && /namespace api/.test(String(error.cause));
    });
    await stores().policy.updateNamespace(id, 'api', RULE, BY);
    assert.deepEqual((await stores().policy.findNamespace(id, 'api'))?.rule, RULE);
  });
}
