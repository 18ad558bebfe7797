import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MemberWriter } from '../../../src/tenancy/member-rules.ts';
import { DEFAULT_ORGANISATION_ID } from '../../../src/tenancy/organisation.ts';
import type { Role } from '../../../src/tenancy/role.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR } from './samples.ts';
import type { Opened } from './stores.ts';

/** Who may do what to a user, asked within the change, and what ends with its maker. */
export function userWriterCases(stores: Opened): void {
  let secrets = 0;
  const newSha256 = () => (++secrets).toString(16).padStart(64, 'a');

  /** With a password, and a role in the default organisation, if one is given. */
  async function registered(login: string, role?: Role) {
    const { users, organisations } = stores();
    const { id } = await users.createUser(login, ACTOR);
    if (role !== undefined) await organisations.setMember(DEFAULT_ORGANISATION_ID, id, role, ACTOR);
    await accept(await invite(id));
    return { id, writer: { userId: id, tokenId: null } };
  }

  async function invite(userId: string, writer?: MemberWriter) {
    const { users, clock } = stores();
    const sha256 = newSha256();
    await users.createInvitation(userId, { sha256, expiresAtMs: clock.nowMs() + 60_000 }, ACTOR, writer);
    return sha256;
  }

  const accept = (sha256: string) => stores().users.acceptInvitation(sha256, `hash of ${sha256}`);
  const organisationOf = async (name: string, userId: string, role: Role = 'owner') => {
    const { organisations } = stores();
    const { id } = await organisations.createOrganisation(name, ACTOR);
    await organisations.setMember(id, userId, role, ACTOR);
    return id;
  };

  it('an invitation is good while its maker may make it, and for good no longer', async () => {
    const { users, organisations } = stores();
    const { id: guest } = await users.createUser('wr-guest', ACTOR);
    await registered('wr-first', 'owner');
    const maker = await registered('wr-maker', 'owner');
    const role = (to: Role) => organisations.setMember(DEFAULT_ORGANISATION_ID, maker.id, to, ACTOR);
    for (const [what, lose, regain] of [
      ['demoted', () => role('admin'), () => role('owner')],
      [
        'removed',
        () => organisations.removeMember(DEFAULT_ORGANISATION_ID, maker.id, ACTOR),
        () => role('owner'),
      ],
      [
        'disabled',
        () => users.disableUser(maker.id, true, ACTOR),
        () => users.disableUser(maker.id, false, ACTOR),
      ],
    ] as const) {
      const sha256 = await invite(guest, maker.writer);
      await lose();
      await assert.rejects(accept(sha256), brumeError('unknown_invitation'), what);
      await regain();
      await assert.rejects(accept(sha256), brumeError('unknown_invitation'), `${what}, and back`);
    }
    const last = await invite(guest, maker.writer);
    assert.equal((await accept(last)).login, 'wr-guest');
    const never = await invite(guest, maker.writer);
    await users.deleteUser(maker.id, ACTOR);
    await assert.rejects(accept(never), brumeError('unknown_invitation'));
    assert.equal((await accept(await invite(guest))).login, 'wr-guest');
  });

  it('the link also ends where its maker lost the right without a trace, or the user got a higher role', async () => {
    const { users, organisations, sql } = stores();
    const maker = await registered('wr-untraced', 'owner');
    const guest = await registered('wr-rising');
    const untraced = await invite(guest.id, maker.writer);
    const put = (role: Role) =>
      sql.transaction((transaction) =>
        transaction.run('update members set role = ?1 where user_id = ?2', [role, maker.id]),
      );
    await put('admin');
    await assert.rejects(accept(untraced), brumeError('unknown_invitation'));
    await put('owner');
    const before = await users.findLogin('wr-rising');
    const rising = await invite(guest.id, maker.writer);
    const organisation = await organisationOf('wr-elsewhere', guest.id, 'viewer');
    await assert.rejects(accept(rising), brumeError('unknown_invitation'));
    assert.deepEqual(await users.findLogin('wr-rising'), before);
    await organisations.setMember(organisation, maker.id, 'viewer', ACTOR);
    assert.equal((await accept(rising)).login, 'wr-rising');

    const { id: fresh } = await users.createUser('wr-rising-fresh', ACTOR);
    const first = await invite(fresh, maker.writer);
    await organisationOf('wr-of-rising-fresh', fresh);
    await assert.rejects(accept(first), brumeError('unknown_invitation'), 'who has never signed in');
    assert.equal((await users.findUser(fresh))?.hasPassword, false);
  });

  it('how a user gets in is decided by who may as much everywhere, also of who can not sign in yet', async () => {
    const { users, organisations } = stores();
    const owner = await registered('wr-owner', 'owner');
    const admin = await registered('wr-admin', 'admin');
    const boss = await registered('wr-boss');
    await organisationOf('wr-of-boss', boss.id);
    const { id: fresh } = await users.createUser('wr-fresh', ACTOR);
    const ofFresh = await organisationOf('wr-of-fresh', fresh);
    const ofTheMachine = await invite(fresh);
    const { id: plain } = await users.createUser('wr-plain', ACTOR);
    const before = await stores().revision();
    const refused = brumeError('forbidden_role');
    const link = (userId: string, subject: string, writer: MemberWriter) =>
      users.linkIdentity(userId, 'https://id.example', subject, ACTOR, writer);
    const unlink = (userId: string, subject: string, writer: MemberWriter) =>
      users.unlinkIdentity(userId, 'https://id.example', subject, ACTOR, writer);
    for (const writer of [owner.writer, admin.writer, { ...owner.writer, tokenId: 'mt_1' }]) {
      for (const id of [boss.id, fresh]) {
        await assert.rejects(invite(id, writer), refused);
        await assert.rejects(link(id, 'wr-boss', writer), refused);
        await assert.rejects(unlink(id, 'wr-boss', writer), refused);
      }
    }
    await assert.rejects(invite(plain, admin.writer), refused);
    await assert.rejects(invite(plain, { ...owner.writer, tokenId: 'mt_1' }), refused);
    assert.equal(await stores().revision(), before);
    assert.equal((await accept(ofTheMachine)).login, 'wr-fresh', 'still good');

    await link(plain, 'wr-plain', owner.writer);
    await unlink(plain, 'wr-plain', owner.writer);
    assert.equal((await accept(await invite(plain, owner.writer))).login, 'wr-plain');
    await organisations.setMember(ofFresh, owner.id, 'owner', ACTOR);
    assert.equal((await accept(await invite(fresh, owner.writer))).login, 'wr-fresh', 'an owner there too');
  });

  it('nobody ends what somebody with a higher role has: sessions, the account', async () => {
    const { users, clock } = stores();
    const owner = await registered('wr-ending-owner', 'owner');
    const admin = await registered('wr-ending-admin', 'admin');
    const boss = await registered('wr-ending-boss');
    await organisationOf('wr-of-ending-boss', boss.id);
    const expiresAtMs = clock.nowMs() + 1000;
    for (const { id } of [owner, admin, boss]) {
      await users.createSession(id, { id: `ses-${id}`, expiresAtMs }, ACTOR);
    }
    const refused = brumeError('forbidden_role');
    for (const { id } of [owner, boss]) {
      await assert.rejects(users.revokeSessions(id, ACTOR, admin.writer), refused);
      await assert.rejects(users.revokeSession(id, `ses-${id}`, ACTOR, admin.writer), refused);
      assert.equal((await users.liveSession(`ses-${id}`))?.userId, id);
    }
    for (const { id } of [owner, boss, admin]) {
      await assert.rejects(users.disableUser(id, true, ACTOR, admin), refused);
      await assert.rejects(users.deleteUser(id, ACTOR, admin), refused);
    }
    await organisationOf('wr-of-ending-admin', admin.id);
    await users.revokeSessions(admin.id, ACTOR, admin.writer);
    assert.equal(await users.liveSession(`ses-${admin.id}`), undefined, 'their own');
    await assert.rejects(users.revokeSessions(admin.id, ACTOR, boss.writer), refused);
    await users.revokeSessions(boss.id, ACTOR, owner.writer);
    assert.equal((await users.disableUser(boss.id, true, ACTOR, owner)).isDisabled, true);
    await users.disableUser(owner.id, true, ACTOR);
    await assert.rejects(users.disableUser(boss.id, false, ACTOR, owner), refused, 'disabled meanwhile');
  });

  it('tokens end for good with the membership in which they were made, or their disabled maker', async () => {
    const { users, organisations, tokens, clock } = stores();
    const maker = await registered('wr-token-maker');
    const [one, two] = [
      await organisationOf('wr-token-one', maker.id, 'admin'),
      await organisationOf('wr-token-two', maker.id, 'admin'),
    ];
    const make = async (organisationId: string, role: Role = 'viewer') => {
      const sha256 = newSha256();
      const expiresAtMs = clock.nowMs() + 60_000;
      const token = { organisationId, name: 'ci', role, prefix: 'p', madeBy: maker.id, expiresAtMs, sha256 };
      await tokens.createToken(token, ACTOR);
      return async () => (await tokens.findToken(sha256)) !== undefined;
    };
    await assert.rejects(make(one, 'owner'), brumeError('forbidden_role'));
    const [inOne, inTwo] = [await make(one), await make(two)];
    await organisations.removeMember(one, maker.id, ACTOR);
    await assert.rejects(make(one), brumeError('unknown_organisation'));
    await organisations.setMember(one, maker.id, 'admin', ACTOR);
    assert.deepEqual([await inOne(), await inTwo()], [false, true]);
    await organisations.setMember(two, maker.id, 'viewer', ACTOR);
    assert.equal(await inTwo(), true, 'a lower role takes no more than it says');
    await users.disableUser(maker.id, true, ACTOR);
    await users.disableUser(maker.id, false, ACTOR);
    assert.deepEqual([await inOne(), await inTwo()], [false, false]);
  });

  it('a changed password ends links and all sessions but one, and replaces only the one that was known', async () => {
    const { users, clock } = stores();
    const { id } = await registered('wr-password');
    const hash = async () => (await users.findLogin('wr-password'))?.passwordHash ?? '';
    const expiresAtMs = clock.nowMs() + 1000;
    for (const session of ['wr-kept', 'wr-other']) {
      await users.createSession(id, { id: session, expiresAtMs }, ACTOR);
    }
    const sha256 = await invite(id);
    const change = (from: string, keptSessionId?: string) =>
      users.changePassword(id, { from, to: 'new' }, { actor: ACTOR, keptSessionId });
    await assert.rejects(change('stale', 'wr-kept'), brumeError('conflict'));
    assert.equal((await users.liveSession('wr-other'))?.userId, id);
    await change(await hash(), 'wr-kept');
    assert.equal(await hash(), 'new');
    assert.equal(await users.liveSession('wr-other'), undefined);
    assert.equal((await users.liveSession('wr-kept'))?.userId, id);
    await assert.rejects(accept(sha256), brumeError('unknown_invitation'));
    await change('new');
    assert.equal(await users.liveSession('wr-kept'), undefined);
  });
}
