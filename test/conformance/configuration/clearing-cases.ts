import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ACTOR, BY, exceptionOf, RULE, ruleOf, rulesOf } from './samples.ts';
import type { Opened } from './stores.ts';

const ADD = { actor: ACTOR, replace: false };
const DAY_MS = 86_400_000;

/** What is long over is cleared away by later changes. */
export function clearingCases(stores: Opened): void {
  async function newNamespace(name: string) {
    const project = await stores().tenancy.createProject({ name }, ACTOR);
    const { id } = await stores().policy.createNamespace(project.id, 'api', RULE, ACTOR);
    return { projectId: project.id, namespaceId: id };
  }

  const anyChange = (n: number) => stores().tenancy.createProject({ name: `clearing-change-${n}` }, ACTOR);
  const all = async (namespaceId: string) =>
    (await stores().exceptions.listExceptions(namespaceId, { pageSize: 1000, withExpired: true })).items;

  it('an exception stays for a day after its end, then a change removes it, and nodes hear of it', async () => {
    const { exceptions, clock, source, rules } = stores();
    const { projectId, namespaceId } = await newNamespace('cleared-expired');
    const expiresAtMs = clock.nowMs() + 1000;
    await exceptions.addException(namespaceId, exceptionOf('a', { expiresAtMs }), ADD);
    await exceptions.addException(namespaceId, exceptionOf('endless'), ADD);
    clock.advance(1000 + DAY_MS - 1);
    await anyChange(1);
    assert.equal((await all(namespaceId)).length, 2);
    clock.advance(1);
    const since = await stores().revision();
    await anyChange(2);
    assert.deepEqual(
      (await all(namespaceId)).map(({ match }) => match),
      ['endless'],
    );
    const removed = (await source.exceptionsRemovedAfter(since)).filter(
      (row) => row.namespaceId === namespaceId,
    );
    assert.deepEqual(removed, [{ namespaceId, kind: 'block', match: 'a', revision: since + 1 }]);
    assert.equal((await rules.listChanges(projectId, { pageSize: 10 })).length, 3);
  });

  it('a removal is listed for a day, and then it is said up to where none is listed', async () => {
    const { exceptions, clock, source } = stores();
    const { namespaceId } = await newNamespace('cleared-removals');
    const { value } = await exceptions.addException(namespaceId, exceptionOf('a'), ADD);
    const { revision } = await exceptions.removeException(namespaceId, value, BY);
    const listed = async () =>
      (await source.exceptionsRemovedAfter(revision - 1)).some((row) => row.namespaceId === namespaceId);
    clock.advance(DAY_MS - 1);
    await anyChange(3);
    assert.equal(await listed(), true);
    assert.ok((await source.installation()).removalsListedAfter < revision);
    clock.advance(1);
    await anyChange(4);
    assert.equal(await listed(), false);
    assert.equal((await source.installation()).removalsListedAfter, revision);
  });

  it('rules that are applied clear away too, and rules that change nothing do not', async () => {
    const { exceptions, clock, rules } = stores();
    const { projectId, namespaceId } = await newNamespace('cleared-by-rules');
    const expiresAtMs = clock.nowMs() + 1;
    await exceptions.addException(namespaceId, exceptionOf('a', { expiresAtMs }), ADD);
    clock.advance(1 + DAY_MS);
    const options = { actor: ACTOR, prune: false };
    await rules.applyRules(projectId, rulesOf({ api: { rule: RULE } }), options);
    assert.equal((await all(namespaceId)).length, 1);
    await rules.applyRules(projectId, rulesOf({ api: { rule: ruleOf(3) } }), options);
    assert.equal((await all(namespaceId)).length, 0);
  });

  it('one change clears away a portion, however much there is', async () => {
    const { exceptions, clock, source } = stores();
    const { namespaceId } = await newNamespace('cleared-portions');
    const expiresAtMs = clock.nowMs() + 1;
    for (let from = 0; from < 2500; from += 500) {
      const many = Array.from({ length: 500 }, (_, n) => exceptionOf(`user-${from + n}`, { expiresAtMs }));
      await exceptions.addExceptions(namespaceId, many, ADD);
    }
    clock.advance(1 + DAY_MS);
    const left: number[] = [];
    for (let n = 0; n < 3; n++) {
      await anyChange(10 + n);
      const rows = await source.exceptionsChangedAfter(0, { pageSize: 100_000 });
      left.push(rows.filter((row) => row.namespaceId === namespaceId).length);
    }
    assert.deepEqual(left, [1500, 500, 0]);
    const since = (await source.installation()).removalsListedAfter;
    clock.advance(DAY_MS);
    for (let n = 0; n < 3; n++) await anyChange(20 + n);
    const { removalsListedAfter } = await source.installation();
    assert.ok(removalsListedAfter > since);
    assert.deepEqual(await source.exceptionsRemovedAfter(removalsListedAfter), []);
  });
}
