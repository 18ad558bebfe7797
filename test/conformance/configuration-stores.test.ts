import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseRule } from '../../src/policy/rule-input.ts';
import { migrate } from '../../src/stores/sql/migrate.ts';
import type { Sql } from '../../src/stores/sql/sql.ts';
import { SqlKeyDirectory } from '../../src/stores/sql/sql-key-directory.ts';
import { SqlPolicyStore } from '../../src/stores/sql/sql-policy-store.ts';
import { SqlSnapshotSource } from '../../src/stores/sql/sql-snapshot-source.ts';
import { SqlTenancyStore } from '../../src/stores/sql/sql-tenancy-store.ts';
import { newApiKeySecret } from '../../src/tenancy/api-key-secret.ts';
import { brumeError } from '../support/brume-error.ts';
import { ManualClock } from '../support/counter-engines.ts';
import { openSqlEngine, SQL_DIALECTS, type SqlEngine } from '../support/sql-engines.ts';

const AUTHOR = 'local:tester';
const RULE = parseRule({ limits: [{ algorithm: 'fixed_window', limit: 10, windowMs: 60_000 }] });
const MAX_RULE = parseRule({
  limits: [{ algorithm: 'gcra', limit: 9_007_199_254_740_991, windowMs: 1, burst: 2 ** 52 }],
});

for (const dialect of SQL_DIALECTS) {
  describe(`configuration in ${dialect}`, () => {
    const clock = new ManualClock();
    let engine: SqlEngine;
    let sql: Sql;
    let tenancy: SqlTenancyStore;
    let policy: SqlPolicyStore;
    let keys: SqlKeyDirectory;
    let source: SqlSnapshotSource;

    before(async () => {
      engine = await openSqlEngine(dialect);
      sql = engine.sql;
      await migrate(sql);
      tenancy = new SqlTenancyStore(sql, { clock });
      policy = new SqlPolicyStore(sql, { clock });
      keys = new SqlKeyDirectory(sql);
      source = new SqlSnapshotSource(sql);
    });
    after(() => engine.close());

    const revision = async () => (await source.installation()).revision;

    function newKey(expiresAtMs: number | null = null) {
      const { prefix, sha256 } = newApiKeySecret('service');
      return { name: 'ci', kind: 'service', scopes: ['limit'], prefix, sha256, expiresAtMs } as const;
    }

    it('projects are found by id and by name, and listed in byte order', async () => {
      const names = ['zebra', 'a-b', 'a.b', 'a_b', 'ab', 'a0'];
      for (const name of names) await tenancy.createProject(name);
      const listed = await tenancy.listProjects();
      assert.deepEqual(
        listed.map(({ name }) => name),
        [...names].sort(),
      );
      for (const project of listed) {
        assert.match(project.id, /^prj_[0-9A-Z]{24}$/);
        assert.deepEqual(await tenancy.findProject(project.id), project);
        assert.deepEqual(await tenancy.findProject(project.name), project);
        assert.equal(project.createdAtMs, clock.nowMs());
      }
      assert.equal(await tenancy.findProject('none'), undefined);
    });

    it('an id goes before a name that equals it', async () => {
      const project = await tenancy.createProject('original');
      await tenancy.createProject(project.id);
      assert.equal((await tenancy.findProject(project.id))?.name, 'original');
    });

    it('a project name that is taken is a conflict and changes nothing', async () => {
      await tenancy.createProject('taken');
      const before = await revision();
      await assert.rejects(tenancy.createProject('taken'), brumeError('conflict'));
      assert.equal(await revision(), before);
      assert.equal((await tenancy.listProjects()).filter(({ name }) => name === 'taken').length, 1);
    });

    it('a key is stored with everything but its secret and found by its hash', async () => {
      const project = await tenancy.createProject('with-keys');
      const { secret, prefix, sha256 } = newApiKeySecret('publishable');
      const created = await tenancy.createKey(project.id, {
        name: 'browser',
        kind: 'publishable',
        scopes: ['limit', 'peek'],
        prefix,
        sha256,
        expiresAtMs: 9_007_199_254_740_991,
      });
      assert.match(created.id, /^key_[0-9A-Z]{24}$/);
      assert.deepEqual(created, {
        id: created.id,
        projectId: project.id,
        name: 'browser',
        kind: 'publishable',
        scopes: ['limit', 'peek'],
        prefix,
        createdAtMs: clock.nowMs(),
        expiresAtMs: 9_007_199_254_740_991,
        revokedAtMs: null,
      });
      assert.deepEqual(await tenancy.listKeys(project.id), [created]);
      assert.deepEqual(await keys.find(sha256), created);
      assert.equal(await keys.find(newApiKeySecret('service').sha256), undefined);
      const stored = await sql.all('select * from api_keys where id = ?1', [created.id]);
      assert.ok(!JSON.stringify(stored).includes(secret.slice(prefix.length)));
    });

    it('a revoked key stays listed, and the first revocation stands', async () => {
      const project = await tenancy.createProject('revoking');
      const key = newKey();
      const { id } = await tenancy.createKey(project.id, key);
      const revoked = await tenancy.revokeKey(project.id, id);
      assert.equal(revoked.revokedAtMs, clock.nowMs());
      clock.advance(1000);
      assert.deepEqual(await tenancy.revokeKey(project.id, id), revoked);
      assert.deepEqual(await tenancy.listKeys(project.id), [revoked]);
      assert.deepEqual(await keys.find(key.sha256), revoked);
    });

    it('a key is revoked through its own project only', async () => {
      const owner = await tenancy.createProject('owner');
      const other = await tenancy.createProject('other');
      const { id } = await tenancy.createKey(owner.id, newKey());
      await assert.rejects(tenancy.revokeKey(other.id, id), brumeError('unknown_key'));
      await assert.rejects(tenancy.revokeKey('prj_none', id), brumeError('unknown_project'));
      await assert.rejects(tenancy.revokeKey(owner.id, 'key_none'), brumeError('unknown_key'));
      assert.equal((await tenancy.listKeys(owner.id))[0]?.revokedAtMs, null);
    });

    it('a namespace comes back as it was stored; its rule keeps every digit (B18)', async () => {
      const project = await tenancy.createProject('namespaces');
      const created = await policy.createNamespace(project.id, 'api', MAX_RULE, AUTHOR);
      assert.match(created.id, /^ns_[0-9A-Z]{24}$/);
      assert.equal(created.version, 1);
      assert.equal(created.rule.limits[0]?.limit, 9_007_199_254_740_991);
      assert.deepEqual(await policy.findNamespace(project.id, 'api'), created);
      await policy.createNamespace(project.id, '0-first', RULE, AUTHOR);
      assert.deepEqual(
        (await policy.listNamespaces(project.id)).map(({ name }) => name),
        ['0-first', 'api'],
      );
      assert.equal(await policy.findNamespace(project.id, 'none'), undefined);
      assert.equal(await policy.findNamespace('prj_none', 'api'), undefined);
    });

    it('a changed rule keeps the namespace and raises its version', async () => {
      const project = await tenancy.createProject('changing');
      const created = await policy.createNamespace(project.id, 'api', RULE, AUTHOR);
      clock.advance(5000);
      const changed = await policy.updateNamespace(project.id, 'api', MAX_RULE, AUTHOR);
      const expected = { ...created, rule: MAX_RULE, version: 2, updatedAtMs: created.createdAtMs + 5000 };
      assert.deepEqual(changed, expected);
      assert.deepEqual(await policy.findNamespace(project.id, 'api'), expected);
    });

    it('the same namespace name is a conflict in one project and none in another', async () => {
      const one = await tenancy.createProject('one');
      const two = await tenancy.createProject('two');
      await policy.createNamespace(one.id, 'api', RULE, AUTHOR);
      await policy.createNamespace(two.id, 'api', RULE, AUTHOR);
      const before = await revision();
      await assert.rejects(policy.createNamespace(one.id, 'api', MAX_RULE, AUTHOR), brumeError('conflict'));
      assert.equal(await revision(), before);
      assert.deepEqual((await policy.findNamespace(one.id, 'api'))?.rule, RULE);
    });

    it('what does not exist is named, and nothing changes', async () => {
      const { id } = await tenancy.createProject('empty');
      const before = await revision();
      const none = 'prj_none';
      const unknownProject = brumeError('unknown_project');
      await assert.rejects(tenancy.deleteProject(none), unknownProject);
      await assert.rejects(tenancy.listKeys(none), unknownProject);
      await assert.rejects(tenancy.createKey(none, newKey()), unknownProject);
      await assert.rejects(policy.listNamespaces(none), unknownProject);
      await assert.rejects(policy.createNamespace(none, 'api', RULE, AUTHOR), unknownProject);
      await assert.rejects(policy.updateNamespace(none, 'api', RULE, AUTHOR), unknownProject);
      await assert.rejects(policy.deleteNamespace(none, 'api', AUTHOR), unknownProject);
      await assert.rejects(policy.updateNamespace(id, 'api', RULE, AUTHOR), brumeError('unknown_namespace'));
      await assert.rejects(policy.deleteNamespace(id, 'api', AUTHOR), brumeError('unknown_namespace'));
      assert.deepEqual(await tenancy.listKeys(id), []);
      assert.deepEqual(await policy.listNamespaces(id), []);
      assert.equal(await revision(), before);
    });

    it('a deleted project takes its keys and namespaces with it', async () => {
      const project = await tenancy.createProject('leaving');
      const key = newKey();
      await tenancy.createKey(project.id, key);
      await policy.createNamespace(project.id, 'api', RULE, AUTHOR);
      await tenancy.deleteProject(project.id);
      assert.equal(await tenancy.findProject('leaving'), undefined);
      assert.equal(await keys.find(key.sha256), undefined);
      assert.equal(await policy.findNamespace(project.id, 'api'), undefined);
      await assert.rejects(tenancy.deleteProject(project.id), brumeError('unknown_project'));
      assert.notEqual((await tenancy.createProject('leaving')).id, project.id);
    });

    it('every change raises the revision by one and sets its project to it', async () => {
      const { id } = await tenancy.createProject('revisions');
      const other = await tenancy.createProject('bystander');
      const otherRevision = (await source.projectRevisions()).get(other.id);
      const key = await tenancy.createKey(id, newKey());
      const changes = [
        () => policy.createNamespace(id, 'api', RULE, AUTHOR),
        () => policy.updateNamespace(id, 'api', MAX_RULE, AUTHOR),
        () => policy.deleteNamespace(id, 'api', AUTHOR),
        () => tenancy.createKey(id, newKey()),
        () => tenancy.revokeKey(id, key.id),
      ];
      for (const change of changes) {
        const before = await revision();
        await change();
        assert.equal(await revision(), before + 1);
        assert.equal((await source.projectRevisions()).get(id), before + 1);
      }
      assert.equal((await source.projectRevisions()).get(other.id), otherRevision);
      const before = await revision();
      await tenancy.deleteProject(id);
      assert.equal(await revision(), before + 1);
      assert.equal((await source.projectRevisions()).has(id), false);
    });

    it('a snapshot reads the namespaces of changed projects only', async () => {
      const quiet = await tenancy.createProject('quiet');
      await policy.createNamespace(quiet.id, 'api', RULE, AUTHOR);
      const before = await revision();
      const busy = await tenancy.createProject('busy');
      await policy.createNamespace(busy.id, 'a', RULE, AUTHOR);
      await policy.createNamespace(busy.id, 'b', MAX_RULE, AUTHOR);
      const rows = await source.namespacesChangedAfter(before);
      assert.deepEqual(rows.map(({ projectId, name }) => [projectId, name]).sort(), [
        [busy.id, 'a'],
        [busy.id, 'b'],
      ]);
    });

    it('changes made at once get one number each', async () => {
      const { id } = await tenancy.createProject('parallel');
      const before = await revision();
      const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
      await Promise.all(names.map((name) => policy.createNamespace(id, name, RULE, AUTHOR)));
      assert.equal(await revision(), before + 20);
      assert.equal((await policy.listNamespaces(id)).length, 20);
    });

    it('only one of two equal creations at once succeeds', async () => {
      const results = await Promise.allSettled([
        tenancy.createProject('race'),
        tenancy.createProject('race'),
      ]);
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    });

    it('a stored rule that cannot be read is an error that names the namespace', async () => {
      const { id } = await tenancy.createProject('damaged');
      await policy.createNamespace(id, 'api', RULE, AUTHOR);
      await sql.transaction((transaction) =>
        transaction.run('update namespaces set rule = ?2 where project_id = ?1', [id, '{"limits":[]}']),
      );
      await assert.rejects(policy.findNamespace(id, 'api'), (error) => {
        brumeError('internal')(error);
        return error instanceof Error && /namespace api/.test(String(error.cause));
      });
      await policy.updateNamespace(id, 'api', RULE, AUTHOR);
      assert.deepEqual((await policy.findNamespace(id, 'api'))?.rule, RULE);
    });

    it('a commit is followed by its hook before the change is acknowledged, a refusal is not', async () => {
      let commits = 0;
      const noted = new SqlTenancyStore(sql, {
        onCommit: async () => {
          commits += 1;
        },
      });
      const project = await noted.createProject('noted');
      assert.equal(commits, 1);
      await assert.rejects(noted.createProject('noted'), brumeError('conflict'));
      assert.equal(commits, 1);
      await noted.deleteProject(project.id);
      assert.equal(commits, 2);
    });
  });
}
