import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY, MAX_RULE, newKey, RULE } from './samples.ts';
import type { Opened } from './stores.ts';

/** Projects, and what every change has in common. */
export function projectCases(stores: Opened): void {
  it('projects are found by id and by name, and listed in byte order', async () => {
    const names = ['zebra', 'a-b', 'a.b', 'a_b', 'ab', 'a0'];
    for (const name of names) await stores().tenancy.createProject({ name }, ACTOR);
    const listed = await stores().tenancy.listProjects();
    assert.deepEqual(
      listed.map(({ name }) => name),
      [...names].sort(),
    );
    for (const project of listed) {
      assert.match(project.id, /^prj_[0-9A-Z]{24}$/);
      assert.deepEqual(await stores().tenancy.findProject(project.id), project);
      assert.deepEqual(await stores().tenancy.findProject(project.name), project);
      assert.equal(project.createdAtMs, stores().clock.nowMs());
    }
    assert.equal(await stores().tenancy.findProject('none'), undefined);
  });

  it('an id goes before a name that equals it', async () => {
    const project = await stores().tenancy.createProject({ name: 'original' }, ACTOR);
    await stores().tenancy.createProject({ name: project.id }, ACTOR);
    assert.equal((await stores().tenancy.findProject(project.id))?.name, 'original');
  });

  it('a project name that is taken is a conflict and changes nothing', async () => {
    await stores().tenancy.createProject({ name: 'taken' }, ACTOR);
    const before = await stores().revision();
    await assert.rejects(stores().tenancy.createProject({ name: 'taken' }, ACTOR), brumeError('conflict'));
    assert.equal(await stores().revision(), before);
    assert.equal((await stores().tenancy.listProjects()).filter(({ name }) => name === 'taken').length, 1);
  });

  it('a deleted project takes its keys and namespaces with it', async () => {
    const project = await stores().tenancy.createProject({ name: 'leaving' }, ACTOR);
    const key = newKey();
    await stores().tenancy.createKey(project.id, key, ACTOR);
    await stores().policy.createNamespace(project.id, 'api', RULE, ACTOR);
    await stores().tenancy.deleteProject(project.id, BY);
    assert.equal(await stores().tenancy.findProject('leaving'), undefined);
    assert.equal(await stores().keys.find(key.sha256), undefined);
    assert.equal(await stores().policy.findNamespace(project.id, 'api'), undefined);
    await assert.rejects(stores().tenancy.deleteProject(project.id, BY), brumeError('unknown_project'));
    assert.notEqual((await stores().tenancy.createProject({ name: 'leaving' }, ACTOR)).id, project.id);
  });

  it('every change raises the revision by one and sets its project to it', async () => {
    const { id } = await stores().tenancy.createProject({ name: 'revisions' }, ACTOR);
    const other = await stores().tenancy.createProject({ name: 'bystander' }, ACTOR);
    const otherRevision = (await stores().source.projectRevisions()).get(other.id);
    const key = await stores().tenancy.createKey(id, newKey(), ACTOR);
    const changes = [
      () => stores().policy.createNamespace(id, 'api', RULE, ACTOR),
      () => stores().policy.updateNamespace(id, 'api', MAX_RULE, BY),
      () => stores().policy.deleteNamespace(id, 'api', BY),
      () => stores().tenancy.createKey(id, newKey(), ACTOR),
      () => stores().tenancy.revokeKey(id, key.id, ACTOR),
    ];
    for (const change of changes) {
      const before = await stores().revision();
      await change();
      assert.equal(await stores().revision(), before + 1);
      assert.equal((await stores().source.projectRevisions()).get(id), before + 1);
    }
    assert.equal((await stores().source.projectRevisions()).get(other.id), otherRevision);
    const before = await stores().revision();
    await stores().tenancy.deleteProject(id, BY);
    assert.equal(await stores().revision(), before + 1);
    assert.equal((await stores().source.projectRevisions()).has(id), false);
  });

  it('only one of two equal creations at once succeeds', async () => {
    const results = await Promise.allSettled([
      stores().tenancy.createProject({ name: 'race' }, ACTOR),
      stores().tenancy.createProject({ name: 'race' }, ACTOR),
    ]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  it('a commit is followed by its hook before the change is acknowledged, a refusal is not', async () => {
    let commits = 0;
    const noted = new SqlTenancyStore(stores().sql, {
      onCommit: async () => {
        commits += 1;
      },
    });
    const project = await noted.createProject({ name: 'noted' }, ACTOR);
    assert.equal(commits, 1);
    await assert.rejects(noted.createProject({ name: 'noted' }, ACTOR), brumeError('conflict'));
    assert.equal(commits, 1);
    await noted.deleteProject(project.id, BY);
    assert.equal(commits, 2);
  });
}
