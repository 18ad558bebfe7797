import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, exceptionOf, exceptionRules, OTHER, RULE, ruleOf, rulesOf } from './samples.ts';
import { stateOf } from './state.ts';
import type { ConfigurationStores, Opened } from './stores.ts';

const ADD = { actor: ACTOR, replace: false };
const REPLACE = { actor: OTHER, replace: true };
const BY = { actor: { name: 'local:undo', address: null, requestId: null } };

interface Place {
  readonly stores: ConfigurationStores;
  readonly projectId: string;
  /** Of namespace `api`. */
  readonly namespaceId: string;
}

/** Every way to change a project with a namespace `api`, a block of `a` and an override of `b*`. */
const CHANGES: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  'a namespace created': ({ stores, projectId }) =>
    stores.policy.createNamespace(projectId, 'new', RULE, ACTOR),
  'a rule changed': ({ stores, projectId }) => stores.policy.updateNamespace(projectId, 'api', ruleOf(3), BY),
  'a namespace deleted': ({ stores, projectId }) => stores.policy.deleteNamespace(projectId, 'api', BY),
  'an exception added': ({ stores, namespaceId }) =>
    stores.exceptions.addException(namespaceId, exceptionOf('c'), ADD),
  'an exception replaced': ({ stores, namespaceId }) =>
    stores.exceptions.addException(namespaceId, exceptionOf('a', { reason: 'other' }), REPLACE),
  'many added and replaced': ({ stores, namespaceId }) =>
    stores.exceptions.addExceptions(
      namespaceId,
      ['a', 'c', 'd'].map((match) => exceptionOf(match, { reason: 'many' })),
      REPLACE,
    ),
  'an exception removed': ({ stores, namespaceId }) =>
    stores.exceptions.removeException(namespaceId, { kind: 'override', match: 'b*' }, ADD),
  'rules applied': ({ stores, projectId }) =>
    stores.rules.applyRules(
      projectId,
      rulesOf({
        api: { rule: ruleOf(4), exceptions: { block: [exceptionRules('z')] } },
        new: { rule: RULE },
      }),
      { actor: ACTOR, prune: true },
    ),
  'everything pruned': ({ stores, projectId }) =>
    stores.rules.applyRules(projectId, rulesOf({}), { actor: ACTOR, prune: true }),
};

/** Rolling back. */
export function rollbackCases(stores: Opened): void {
  let count = 0;

  async function newPlace(): Promise<Place> {
    const { id: projectId } = await stores().tenancy.createProject({ name: `rollback-${++count}` }, ACTOR);
    const { id: namespaceId } = await stores().policy.createNamespace(projectId, 'api', RULE, ACTOR);
    await stores().exceptions.addException(namespaceId, exceptionOf('a', { reason: 'first' }), ADD);
    const limits = [{ name: 'default', limit: 2 ** 53 - 1 }];
    const override = exceptionOf('b*', { kind: 'override', form: 'pattern', limits });
    await stores().exceptions.addException(namespaceId, override, ADD);
    stores().clock.advance(1000);
    return { stores: stores(), projectId, namespaceId };
  }

  const last = async (projectId: string) =>
    (await stores().rules.listChanges(projectId, { pageSize: 1 }))[0]?.revision ?? 0;

  for (const [name, change] of Object.entries(CHANGES)) {
    it(`${name}: rolling back restores it with its ids, and rolling that back the change`, async () => {
      const place = await newPlace();
      const { projectId } = place;
      const before = await stateOf(stores(), projectId);
      const start = await last(projectId);
      await change(place);
      const changed = await stateOf(stores(), projectId);
      const end = await last(projectId);
      assert.notDeepEqual(changed, before);
      assert.equal(end, await stores().revision());
      const undone = await stores().rules.rollBack(projectId, start, BY);
      assert.deepEqual(await stateOf(stores(), projectId), before);
      assert.equal(undone.revision, end + 1);
      const recorded = await stores().rules.findChange(projectId, undone.revision);
      assert.equal(recorded?.author, BY.actor.name);
      assert.deepEqual(recorded?.items, undone.items);
      await stores().rules.rollBack(projectId, end, BY);
      assert.deepEqual(await stateOf(stores(), projectId), changed);
      await stores().rules.rollBack(projectId, undone.revision, BY);
      assert.deepEqual(await stateOf(stores(), projectId), before);
    });
  }

  it('all of them, one after the other, lead back to the start in one step', async () => {
    const place = await newPlace();
    const before = await stateOf(stores(), place.projectId);
    const start = await last(place.projectId);
    for (const name of [
      'an exception replaced',
      'a rule changed',
      'many added and replaced',
      'everything pruned',
    ]) {
      await CHANGES[name]?.(place);
    }
    const { id } = await stores().policy.createNamespace(place.projectId, 'api', ruleOf(9), ACTOR);
    await stores().exceptions.addException(id, exceptionOf('a', { reason: 'in another namespace' }), ADD);
    await stores().rules.rollBack(place.projectId, start, BY);
    assert.deepEqual(await stateOf(stores(), place.projectId), before);
  });

  it('what was there already is no change', async () => {
    const { projectId } = await newPlace();
    const revision = await last(projectId);
    const before = await stores().revision();
    assert.deepEqual(await stores().rules.rollBack(projectId, revision, BY), { revision, items: [] });
    await stores().policy.createNamespace(projectId, 'brief', RULE, ACTOR);
    await stores().policy.deleteNamespace(projectId, 'brief', BY);
    const since = await last(projectId);
    assert.deepEqual(await stores().rules.rollBack(projectId, revision, BY), { revision: since, items: [] });
    assert.equal(await stores().revision(), before + 2);
  });

  it('a revision that is not one of the project is unknown', async () => {
    const { projectId } = await newPlace();
    const other = await newPlace();
    for (const revision of [0, (await stores().revision()) + 1, await last(other.projectId)]) {
      await assert.rejects(stores().rules.rollBack(projectId, revision, BY), brumeError('unknown_revision'));
    }
  });

  it('what has expired by now does not return', async () => {
    const { projectId, namespaceId } = await newPlace();
    const expiresAtMs = stores().clock.nowMs() + 1000;
    const { value } = await stores().exceptions.addException(
      namespaceId,
      exceptionOf('brief', { expiresAtMs }),
      ADD,
    );
    const revision = await last(projectId);
    await stores().exceptions.removeException(namespaceId, value, BY);
    stores().clock.advance(1000);
    assert.deepEqual((await stores().rules.rollBack(projectId, revision, BY)).items, []);
  });

  it('a namespace that returns has a version that it never had', async () => {
    const { projectId } = await newPlace();
    const revision = await last(projectId);
    const versions = new Set([1]);
    for (let n = 0; n < 3; n++) {
      const changed = await stores().policy.updateNamespace(projectId, 'api', ruleOf(n), BY);
      await stores().policy.deleteNamespace(projectId, 'api', BY);
      await stores().rules.rollBack(projectId, revision, BY);
      const back = await stores().policy.findNamespace(projectId, 'api');
      for (const version of [changed.version, back?.version ?? 0]) {
        assert.ok(!versions.has(version));
        versions.add(version);
      }
    }
  });

  it('a node that missed that a namespace was away hears of the exceptions that did not return', async () => {
    const { projectId, namespaceId } = await newPlace();
    const expiresAtMs = stores().clock.nowMs() + 1000;
    await stores().exceptions.addException(namespaceId, exceptionOf('early', { expiresAtMs }), ADD);
    const revision = await last(projectId);
    await stores().exceptions.addException(namespaceId, exceptionOf('since'), ADD);
    await stores().exceptions.addException(namespaceId, exceptionOf('expired', { expiresAtMs }), ADD);
    stores().clock.advance(1000);
    const seen = await stores().revision();
    await stores().policy.deleteNamespace(projectId, 'api', BY);
    await stores().rules.rollBack(projectId, revision, BY);
    const removed = await stores().source.exceptionsRemovedAfter(seen);
    const own = removed.filter((row) => row.namespaceId === namespaceId);
    assert.deepEqual([...new Set(own.map(({ match }) => match))].sort(), ['early', 'expired', 'since']);
  });
}
