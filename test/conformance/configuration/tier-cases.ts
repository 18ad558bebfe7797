import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY } from './samples.ts';
import type { Opened } from './stores.ts';

/** Tiers, and which projects have them. */
export function tierCases(stores: Opened): void {
  it('a tier is found by id and by name, and keeps every digit of its ceiling (B18)', async () => {
    const { tiers, clock } = stores();
    const callsPerDay = 2 ** 53 - 1;
    const tier = await tiers.createTier({ name: 'endless', callsPerDay }, ACTOR);
    const nowMs = clock.nowMs();
    assert.match(tier.id, /^tier_[0-9A-Z]{24}$/);
    const rest = { version: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
    assert.deepEqual(tier, { id: tier.id, name: 'endless', callsPerDay, ...rest });
    assert.deepEqual(await tiers.findTier(tier.id), tier);
    assert.deepEqual(await tiers.findTier('endless'), tier);
    assert.equal(await tiers.findTier('none'), undefined);
    assert.deepEqual(await tiers.listTiers(), [tier]);
    await assert.rejects(
      tiers.createTier({ name: 'endless', callsPerDay: 1 }, ACTOR),
      brumeError('conflict'),
    );
  });

  it('a tier is changed and removed from the version that was read, and else not', async () => {
    const { tiers } = stores();
    const { id } = await tiers.createTier({ name: 'small', callsPerDay: 10 }, ACTOR);
    const wanted = { name: 'smaller', callsPerDay: 5 };
    const changed = await tiers.updateTier(id, wanted, { ...BY, expectedVersion: 1 });
    assert.deepEqual([changed.name, changed.callsPerDay, changed.version], ['smaller', 5, 2]);
    const stale = { ...BY, expectedVersion: 1 };
    await assert.rejects(tiers.updateTier(id, wanted, stale), brumeError('precondition_failed'));
    await assert.rejects(tiers.deleteTier(id, stale), brumeError('precondition_failed'));
    assert.deepEqual(await tiers.findTier(id), changed);
    await tiers.deleteTier(id, { ...BY, expectedVersion: 2 });
    assert.equal(await tiers.findTier(id), undefined);
    await assert.rejects(tiers.updateTier(id, wanted, BY), brumeError('unknown_tier'));
    await assert.rejects(tiers.deleteTier(id, BY), brumeError('unknown_tier'));
  });

  it('a snapshot reads the ceilings of changed projects, and those of a tier that changed', async () => {
    const { tiers, tenancy, source } = stores();
    const tier = await tiers.createTier({ name: 'read', callsPerDay: 10 }, ACTOR);
    const [one, two] = [
      await tenancy.createProject({ name: 'read-one' }, ACTOR),
      await tenancy.createProject({ name: 'read-two' }, ACTOR),
    ];
    for (const { id } of [one, two]) await tiers.setProjectTier(id, tier.id, BY);
    const since = await stores().revision();
    assert.deepEqual(await source.budgetsChangedAfter(since - 1), new Map([[two.id, 10]]));
    assert.deepEqual(await source.budgetsChangedAfter(since), new Map());
    await tiers.updateTier(tier.id, { name: 'read', callsPerDay: 20 }, BY);
    const both = new Map([
      [one.id, 20],
      [two.id, 20],
    ]);
    assert.deepEqual(await source.budgetsChangedAfter(since), both);
    const revisions = await source.projectRevisions();
    assert.deepEqual([revisions.get(one.id), revisions.get(two.id)], [since + 1, since + 1]);
    await tiers.setProjectTier(one.id, null, BY);
    assert.deepEqual(await source.budgetsChangedAfter(since), new Map([[two.id, 20]]));
  });

  it('a project has a tier or none; a tier that projects have stays', async () => {
    const { tiers, tenancy } = stores();
    const tier = await tiers.createTier({ name: 'held', callsPerDay: 10 }, ACTOR);
    const project = await tenancy.createProject({ name: 'tiered' }, ACTOR);
    assert.equal(project.tierId, null);
    const given = await tiers.setProjectTier(project.id, tier.id, { ...BY, expectedVersion: 1 });
    assert.deepEqual([given.tierId, given.version], [tier.id, 2]);
    assert.deepEqual(await tenancy.findProject(project.id), given);
    const stale = tiers.setProjectTier(project.id, null, { ...BY, expectedVersion: 1 });
    await assert.rejects(stale, brumeError('precondition_failed'));
    await assert.rejects(tiers.setProjectTier(project.id, 'tier_none', BY), brumeError('unknown_tier'));
    await assert.rejects(tiers.setProjectTier('prj_none', tier.id, BY), brumeError('unknown_project'));
    assert.deepEqual(await tenancy.findProject(project.id), given);
    await assert.rejects(tiers.deleteTier(tier.id, BY), brumeError('still_needed'));
    assert.equal((await tiers.setProjectTier(project.id, null, BY)).tierId, null);
    await tiers.deleteTier(tier.id, BY);
    const late = tenancy.deleteProject(project.id, { ...BY, expectedVersion: 2 });
    await assert.rejects(late, brumeError('precondition_failed'));
    await tenancy.deleteProject(project.id, { ...BY, expectedVersion: 3 });
  });
}
