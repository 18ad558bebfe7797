import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import {
  ACTOR,
  AUTHOR,
  BY,
  exceptionOf,
  exceptionRules,
  newKey,
  OTHER,
  RULE,
  ruleOf,
  rulesOf,
} from './samples.ts';
import type { Opened } from './stores.ts';

const ADD = { actor: ACTOR, replace: false };
const REPLACE = { actor: OTHER, replace: true };

const named = (name: string) => ({ ...ACTOR, name: `local:${name}` });

/** What is recorded of changes, and how long it is kept. */
export function historyCases(stores: Opened): void {
  const newProject = async (name: string) => (await stores().tenancy.createProject({ name }, ACTOR)).id;

  it('every change of namespaces and exceptions is recorded: who, when, what, before and after', async () => {
    const { policy, exceptions, rules, clock } = stores();
    const projectId = await newProject('recorded');
    const { id } = await policy.createNamespace(projectId, 'api', RULE, named('ann'));
    clock.advance(1000);
    await policy.updateNamespace(projectId, 'api', ruleOf(3), { actor: named('ben') });
    const expiresAtMs = clock.nowMs() + 60_000;
    const { value } = await exceptions.addException(
      id,
      exceptionOf('a', { reason: 'why', expiresAtMs }),
      ADD,
    );
    const limits = [{ name: 'default', limit: 2 ** 53 - 1 }];
    const { value: override } = await exceptions.addException(
      id,
      exceptionOf('b', { kind: 'override', limits }),
      ADD,
    );
    await exceptions.addException(id, exceptionOf('a', { reason: 'more' }), REPLACE);
    await exceptions.removeException(id, value, BY);
    await policy.deleteNamespace(projectId, 'api', { actor: named('eve') });
    const changes = await rules.listChanges(projectId, { pageSize: 100 });
    assert.deepEqual(
      changes.map(({ author, summary }) => `${author}: ${summary}`),
      [
        'local:eve: 1 namespace removed, 1 override removed',
        'local:tester: 1 block removed',
        'local:other: 1 block changed',
        'local:tester: 1 override created',
        'local:tester: 1 block created',
        'local:ben: 1 namespace changed',
        'local:ann: 1 namespace created',
      ],
    );
    const block = {
      id: value.id,
      author: AUTHOR,
      reason: 'why',
      expiresAt: new Date(expiresAtMs).toISOString(),
    };
    const later = { ...block, author: 'local:other', reason: 'more', expiresAt: null };
    const overrideJson = { id: override.id, author: AUTHOR, reason: '', expiresAt: null, limits };
    const own = { namespace: 'api', exception: null };
    const of = (kind: string, match: string) => ({ namespace: 'api', exception: { kind, match } });
    const expected = [
      [{ ...own, before: null, after: { id, rule: RULE.json } }],
      [{ ...own, before: { id, rule: RULE.json }, after: { id, rule: ruleOf(3).json } }],
      [{ ...of('block', 'a'), before: null, after: block }],
      [{ ...of('override', 'b'), before: null, after: overrideJson }],
      [{ ...of('block', 'a'), before: block, after: later }],
      [{ ...of('block', 'a'), before: later, after: null }],
      [
        { ...of('override', 'b'), before: overrideJson, after: null },
        { ...own, before: { id, rule: ruleOf(3).json }, after: null },
      ],
    ];
    for (const [index, change] of [...changes].reverse().entries()) {
      assert.deepEqual(await rules.findChange(projectId, change.revision), {
        ...change,
        items: expected[index],
      });
    }
  });

  it('what is no change of rules is not in the history: keys, other projects, refusals', async () => {
    const { tenancy, policy, rules } = stores();
    const projectId = await newProject('unrecorded');
    const other = await newProject('unrecorded-other');
    const { id } = await tenancy.createKey(projectId, newKey(), ACTOR);
    await tenancy.revokeKey(projectId, id, ACTOR);
    await policy.createNamespace(other, 'api', RULE, ACTOR);
    await assert.rejects(policy.deleteNamespace(projectId, 'api', BY), brumeError('unknown_namespace'));
    assert.deepEqual(await rules.listChanges(projectId, { pageSize: 10 }), []);
    const [change] = await rules.listChanges(other, { pageSize: 10 });
    assert.equal(await rules.findChange(projectId, change?.revision ?? 0), undefined);
    assert.equal(await rules.findChange(projectId, 0), undefined);
  });

  it('the history is read in pages, the latest first', async () => {
    const { policy, rules } = stores();
    const projectId = await newProject('paged-history');
    for (let n = 0; n < 5; n++) await policy.createNamespace(projectId, `n${n}`, RULE, ACTOR);
    const whole = await rules.listChanges(projectId, { pageSize: 100 });
    assert.equal(whole.length, 5);
    assert.deepEqual(await rules.listChanges(projectId, { pageSize: 2 }), whole.slice(0, 2));
    const before = whole[1]?.revision ?? 0;
    assert.deepEqual(await rules.listChanges(projectId, { before, pageSize: 2 }), whole.slice(2, 4));
    assert.deepEqual(
      await rules.listChanges(projectId, { before: whole[4]?.revision ?? 0, pageSize: 2 }),
      [],
    );
  });

  it('the latest 1,000 changes are kept, and what is older is cleared away bit by bit', async () => {
    const { policy, exceptions, rules, sql } = stores();
    const projectId = await newProject('retention');
    const block = Array.from({ length: 7000 }, (_, n) => exceptionRules(`user-${n}`));
    const first = await rules.applyRules(projectId, rulesOf({ api: { rule: RULE, exceptions: { block } } }), {
      actor: ACTOR,
      prune: false,
    });
    const namespace = await policy.findNamespace(projectId, 'api');
    const change = (n: number) => exceptions.addException(namespace?.id ?? '', exceptionOf(`more-${n}`), ADD);
    const second = await change(0);
    for (let n = 1; n < 1000; n++) await change(n);
    const kept = await rules.listChanges(projectId, { pageSize: 2000 });
    assert.equal(kept.length, 1000);
    assert.equal(kept.at(-1)?.revision, second.revision);
    assert.equal(await rules.findChange(projectId, first.revision), undefined);
    const forgotten = rules.rollBack(projectId, first.revision, BY);
    await assert.rejects(forgotten, brumeError('unknown_revision'));
    const left = async () => {
      const [row] = await sql.all(
        'select count(*) as items from project_change_items where project_id = ?1 and revision = ?2',
        [projectId, first.revision],
      );
      return row?.items;
    };
    assert.equal(await left(), 2001);
    await change(1000);
    assert.equal(await left(), 0);
    assert.equal((await rules.listChanges(projectId, { pageSize: 2000 })).length, 1000);
    const [rows] = await sql.all('select count(*) as changes from project_changes where project_id = ?1', [
      projectId,
    ]);
    assert.equal(rows?.changes, 1000);
    const oldest = (await rules.listChanges(projectId, { pageSize: 2000 })).at(-1)?.revision ?? 0;
    const { items } = await rules.rollBack(projectId, oldest, BY);
    assert.equal(items.length, 999);
  });

  it('the history of a deleted project goes with it', async () => {
    const { policy, tenancy, sql } = stores();
    const projectId = await newProject('forgotten');
    await policy.createNamespace(projectId, 'api', RULE, ACTOR);
    await tenancy.deleteProject(projectId, BY);
    for (const table of ['project_changes', 'project_change_items']) {
      assert.deepEqual(await sql.all(`select revision from ${table} where project_id = ?1`, [projectId]), []);
    }
  });

  it('a stored rule that cannot be read is kept in the history to the letter', async () => {
    const { policy, rules, sql } = stores();
    const projectId = await newProject('damaged-history');
    const { id } = await policy.createNamespace(projectId, 'api', RULE, ACTOR);
    for (const text of ['{"limits":[]}', 'no JSON']) {
      await sql.transaction((transaction) =>
        transaction.run('update namespaces set rule = ?2 where id = ?1', [id, text]),
      );
      const { revision } = await rules
        .applyRules(projectId, rulesOf({ other: { rule: RULE } }), {
          actor: ACTOR,
          prune: false,
        })
        .catch(async () => ({
          revision: (await rules.listChanges(projectId, { pageSize: 1 }))[0]?.revision ?? 0,
        }));
      await policy.updateNamespace(projectId, 'api', ruleOf(3), BY);
      await rules.rollBack(projectId, revision, BY);
      const [row] = await sql.all('select rule from namespaces where id = ?1', [id]);
      assert.equal(row?.rule, text);
    }
  });
}
