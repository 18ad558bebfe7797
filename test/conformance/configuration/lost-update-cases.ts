import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY, exceptionOf, RULE, ruleOf } from './samples.ts';
import type { Opened } from './stores.ts';

const WRITERS = 8;

/** Nothing that was changed meanwhile is overwritten by who expects what was there before. */
export function lostUpdateCases(stores: Opened): void {
  /** All start from the version that they read; resolves with how many there were who could write. */
  async function winners(write: (writer: number) => Promise<unknown>): Promise<number> {
    const before = await stores().revision();
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const results = await Promise.allSettled(writers);
    for (const result of results) {
      if (result.status === 'rejected') brumeError('precondition_failed')(result.reason);
    }
    const won = results.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(await stores().revision(), before + won);
    return won;
  }

  it('of many who change a namespace that they all read one does, the others get 412', async () => {
    const { tenancy, policy } = stores();
    const { id } = await tenancy.createProject({ name: 'lost-namespaces' }, ACTOR);
    const { version } = await policy.createNamespace(id, 'api', RULE, ACTOR);
    const expected = { ...BY, expectedVersion: version };
    assert.equal(await winners((n) => policy.updateNamespace(id, 'api', ruleOf(n + 20), expected)), 1);
    const after = await policy.findNamespace(id, 'api');
    assert.equal(after?.version, version + 1);
    await assert.rejects(policy.deleteNamespace(id, 'api', expected), brumeError('precondition_failed'));
    assert.deepEqual(await policy.findNamespace(id, 'api'), after);
    await policy.deleteNamespace(id, 'api', { ...BY, expectedVersion: version + 1 });
  });

  it('of many who replace an exception that they all read one does, the others get 412', async () => {
    const { tenancy, policy, exceptions } = stores();
    const { id } = await tenancy.createProject({ name: 'lost-exceptions' }, ACTOR);
    const namespace = await policy.createNamespace(id, 'api', RULE, ACTOR);
    const add = { actor: ACTOR, replace: false };
    const { value } = await exceptions.addException(namespace.id, exceptionOf('a'), add);
    const expected = { ...BY, replace: true, expectedVersion: value.version };
    const replaced = (n: number) =>
      exceptions.addException(namespace.id, exceptionOf('a', { reason: String(n) }), expected);
    assert.equal(await winners(replaced), 1);
    const [after] = (await exceptions.listExceptions(namespace.id, { pageSize: 10 })).items;
    assert.ok(after !== undefined && after.version > value.version);
    const late = exceptions.removeException(namespace.id, value, expected);
    await assert.rejects(late, brumeError('precondition_failed'));
    const gone = exceptions.addException(namespace.id, exceptionOf('b'), expected);
    await assert.rejects(gone, brumeError('precondition_failed'));
    const rest = await exceptions.listExceptions(namespace.id, { pageSize: 10 });
    assert.deepEqual(rest.items, [after]);
    await exceptions.removeException(namespace.id, after, { ...BY, expectedVersion: after.version });
  });

  it('of many who change a tier, an organisation or a project that they all read one does', async () => {
    const { tenancy, tiers, organisations } = stores();
    const expected = { ...BY, expectedVersion: 1 };
    const tier = await tiers.createTier({ name: 'lost', callsPerDay: 1 }, ACTOR);
    const changed = (n: number) => tiers.updateTier(tier.id, { name: 'lost', callsPerDay: n }, expected);
    assert.equal(await winners(changed), 1);
    const { id } = await organisations.createOrganisation('lost', ACTOR);
    assert.equal(await winners((n) => organisations.renameOrganisation(id, `lost-${n}`, expected)), 1);
    const project = await tenancy.createProject({ name: 'lost' }, ACTOR);
    assert.equal(await winners(() => tiers.setProjectTier(project.id, tier.id, expected)), 1);
  });
}
