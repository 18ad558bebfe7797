import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { believeTablesEmpty, SQL_DIALECTS } from '../support/sql-engines.ts';
import { ACTOR, BY, exceptionRules, RULE, ruleOf, rulesOf } from './configuration/samples.ts';
import { ConfigurationStores } from './configuration/stores.ts';

/** Several times what a statement takes at once; scripts/test-long asks for a hundred thousand. */
const MANY = Number(process.env.TEST_LARGE_ROWS ?? 20_000);
/** Written, changed and removed row by row: fewer. */
const APPLIED = MANY / 10;

for (const dialect of SQL_DIALECTS) {
  describe(`large changes in ${dialect}`, () => {
    let stores: ConfigurationStores;

    before(async () => {
      stores = await ConfigurationStores.open(dialect);
      await believeTablesEmpty(stores.sql);
    });
    after(() => stores.close());

    async function namespaceOfMany(name: string, rows: number) {
      const { id: projectId } = await stores.tenancy.createProject({ name }, ACTOR);
      const { id } = await stores.policy.createNamespace(projectId, 'api', RULE, ACTOR);
      const revision = await stores.revision();
      await stores.sql.transaction(
        (transaction) =>
          transaction.run(
            `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${rows})
             insert into rule_exceptions (id, namespace_id, kind, form, match_text, limits, reason, author, revision,
               created_at, updated_at, expires_at)
             select cast(?1 as text) || n, cast(?2 as text), 'block', 'exact', 'user-' || n, null, '', 'a',
               cast(?3 as bigint), 1, 1, null from n`,
            [`ex_${name}_`, id, revision],
          ),
        { timeoutMs: 60_000 },
      );
      return { projectId, namespaceId: id, revision };
    }

    const count = async (namespaceId: string) => {
      const [row] = await stores.sql.all(
        'select count(*) as total from rule_exceptions where namespace_id = ?1',
        [namespaceId],
      );
      return row?.total;
    };

    it(`a namespace of ${MANY} exceptions is deleted in one change, which names them all`, async () => {
      const { projectId, namespaceId } = await namespaceOfMany('many', MANY);
      await stores.policy.deleteNamespace(projectId, 'api', BY);
      assert.equal(await count(namespaceId), 0);
      const [change] = await stores.rules.listChanges(projectId, { pageSize: 1 });
      assert.equal(change?.summary, `1 namespace removed, ${MANY} blocks removed`);
      const { items } = (await stores.rules.findChange(projectId, change.revision)) ?? {};
      assert.equal(new Set(items?.map(({ exception }) => exception?.match)).size, MANY + 1);
    });

    it('a namespace of 12,000 exceptions returns, and goes again', async () => {
      const { projectId, namespaceId, revision } = await namespaceOfMany('back', 12_000);
      await stores.policy.deleteNamespace(projectId, 'api', BY);
      const [change] = await stores.rules.listChanges(projectId, { pageSize: 1 });
      const { items } = await stores.rules.rollBack(projectId, revision, BY);
      assert.equal(items.length, 12_001);
      assert.equal(await count(namespaceId), 12_000);
      const again = await stores.rules.rollBack(projectId, change?.revision ?? 0, BY);
      assert.equal(again.items.length, 12_001);
      assert.equal(await count(namespaceId), 0);
    });

    it(`a project of ${MANY} exceptions is deleted`, async () => {
      const { projectId, namespaceId } = await namespaceOfMany('gone', MANY);
      await stores.tenancy.deleteProject(projectId, BY);
      assert.equal(await count(namespaceId), 0);
    });

    it(`a file of ${APPLIED} exceptions is applied beside ${MANY} that it leaves alone, changed and pruned`, async () => {
      const { projectId, namespaceId } = await namespaceOfMany('applied', MANY);
      const rules = (reason: string, length: number) => {
        const exemption = Array.from({ length }, (_, n) => exceptionRules(`vip-${n}`, { reason }));
        return rulesOf({ api: { rule: ruleOf(5), exceptions: { exemption } } });
      };
      const options = { actor: ACTOR, prune: true };
      const first = await stores.rules.applyRules(projectId, rules('', APPLIED), options);
      assert.equal(first.items.length, APPLIED + 1);
      assert.equal(await count(namespaceId), MANY + APPLIED);
      const second = await stores.rules.applyRules(projectId, rules('changed', APPLIED / 2), options);
      assert.equal(second.items.length, APPLIED);
      const change = await stores.rules.findChange(projectId, second.revision);
      assert.equal(change?.summary, `${APPLIED / 2} exemptions changed, ${APPLIED / 2} exemptions removed`);
      assert.equal(change.items.length, APPLIED);
      const removed = await stores.source.exceptionsRemovedAfter(first.revision);
      assert.equal(removed.length, APPLIED / 2);
      const back = await stores.rules.rollBack(projectId, first.revision, BY);
      assert.equal(back.items.length, APPLIED);
      const { rules: exported } = await stores.rules.exportRules(projectId);
      assert.equal(exported.namespaces.get('api')?.exceptions.exemption?.length, APPLIED);
    });
  });
}
