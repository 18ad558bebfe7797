import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLES } from '../../../src/tenancy/role.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR } from './samples.ts';
import type { Opened } from './stores.ts';

/** Members, their roles, and the last owner. */
export function memberCases(stores: Opened): void {
  async function organisationWith(name: string, ...logins: string[]) {
    const { organisations, users } = stores();
    const { id } = await organisations.createOrganisation(name, ACTOR);
    const userIds: string[] = [];
    for (const login of logins) userIds.push((await users.createUser(`${login}-${name}`, ACTOR)).id);
    return { id, userIds };
  }

  it('a member has the role that was set last, and none once removed', async () => {
    const { organisations, clock } = stores();
    const { id, userIds } = await organisationWith('roles', 'owner', 'ann');
    const [owner = '', ann = ''] = userIds;
    await organisations.setMember(id, owner, 'owner', ACTOR);
    assert.equal(await organisations.roleOf(id, ann), undefined);
    const createdAtMs = clock.nowMs();
    for (const role of ROLES) {
      clock.advance(1);
      const member = await organisations.setMember(id, ann, role, ACTOR);
      assert.deepEqual([member.login, member.role, member.updatedAtMs], ['ann-roles', role, clock.nowMs()]);
      assert.equal(member.createdAtMs, createdAtMs + 1);
      assert.equal(await organisations.roleOf(id, ann), role);
      assert.deepEqual(
        (await organisations.organisationsOf(ann)).map((one) => [one.id, one.role]),
        [[id, role]],
      );
    }
    assert.deepEqual(
      (await organisations.listMembers(id)).map(({ login }) => login),
      ['ann-roles', 'owner-roles'],
    );
    await organisations.removeMember(id, ann, ACTOR);
    assert.equal(await organisations.roleOf(id, ann), undefined);
    assert.deepEqual(await organisations.organisationsOf(ann), []);
    await assert.rejects(organisations.removeMember(id, ann, ACTOR), brumeError('unknown_member'));
  });

  it('who and where must be there, and a role in one organisation is none in another', async () => {
    const { organisations } = stores();
    const { id, userIds } = await organisationWith('one-of-two', 'bob');
    const other = await organisationWith('two-of-two');
    const [bob = ''] = userIds;
    await organisations.setMember(id, bob, 'owner', ACTOR);
    assert.equal(await organisations.roleOf(other.id, bob), undefined);
    assert.deepEqual(await organisations.listMembers(other.id), []);
    const nobody = organisations.setMember(id, 'usr_none', 'viewer', ACTOR);
    await assert.rejects(nobody, brumeError('unknown_user'));
    for (const call of [
      () => organisations.setMember('org_none', bob, 'viewer', ACTOR),
      () => organisations.removeMember('org_none', bob, ACTOR),
      () => organisations.listMembers('org_none'),
    ]) {
      await assert.rejects(call(), brumeError('unknown_organisation'));
    }
  });

  it('the last owner is neither removed nor demoted nor deleted, and nothing changes', async () => {
    const { organisations, users } = stores();
    const { id, userIds } = await organisationWith('last-owner', 'cat', 'dan');
    const [cat = '', dan = ''] = userIds;
    await organisations.setMember(id, cat, 'owner', ACTOR);
    await organisations.setMember(id, dan, 'admin', ACTOR);
    const before = await stores().revision();
    for (const call of [
      () => organisations.removeMember(id, cat, ACTOR),
      () => organisations.setMember(id, cat, 'admin', ACTOR),
      () => users.deleteUser(cat, ACTOR),
    ]) {
      await assert.rejects(call(), brumeError('still_needed'));
    }
    assert.equal(await stores().revision(), before);
    await organisations.setMember(id, cat, 'owner', ACTOR);
    await organisations.setMember(id, dan, 'owner', ACTOR);
    await users.deleteUser(cat, ACTOR);
    await assert.rejects(organisations.removeMember(id, dan, ACTOR), brumeError('still_needed'));
  });

  it('of two owners who leave at once one stays, however they leave', async () => {
    const { organisations, users } = stores();
    const leave = {
      remove: (id: string, user: string) => organisations.removeMember(id, user, ACTOR),
      demote: async (id: string, user: string) => {
        await organisations.setMember(id, user, 'viewer', ACTOR);
      },
      delete: (_: string, user: string) => users.deleteUser(user, ACTOR),
    };
    for (const [one, first] of Object.entries(leave)) {
      for (const [other, second] of Object.entries(leave)) {
        const { id, userIds } = await organisationWith(`${one}-${other}`, 'eve', 'fay');
        const [eve = '', fay = ''] = userIds;
        await organisations.setMember(id, eve, 'owner', ACTOR);
        await organisations.setMember(id, fay, 'owner', ACTOR);
        const results = await Promise.allSettled([first(id, eve), second(id, fay)]);
        assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
        const owners = (await organisations.listMembers(id)).filter(({ role }) => role === 'owner');
        assert.equal(owners.length, 1, `${one} and ${other}`);
      }
    }
  });

  it('a disabled user has no role, and does not count as an owner', async () => {
    const { organisations, users } = stores();
    const { id, userIds } = await organisationWith('disabled-owner', 'gus', 'hal');
    const [gus = '', hal = ''] = userIds;
    await organisations.setMember(id, gus, 'owner', ACTOR);
    await organisations.setMember(id, hal, 'owner', ACTOR);
    await users.disableUser(hal, true, ACTOR);
    assert.equal(await organisations.roleOf(id, hal), undefined);
    await assert.rejects(organisations.removeMember(id, gus, ACTOR), brumeError('still_needed'));
    await users.disableUser(hal, false, ACTOR);
    assert.equal(await organisations.roleOf(id, hal), 'owner');
    await organisations.removeMember(id, gus, ACTOR);
  });
}
