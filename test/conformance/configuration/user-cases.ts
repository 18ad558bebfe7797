import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR } from './samples.ts';
import type { Opened } from './stores.ts';

/** Users, their identities, invitations and sessions. */
export function userCases(stores: Opened): void {
  let secrets = 0;
  const newSha256 = () => (++secrets).toString(16).padStart(64, '0');

  it('a user is found by id, by login and by identity, and by nothing else', async () => {
    const { users, clock } = stores();
    const nowMs = clock.nowMs();
    const user = await users.createUser('ida', ACTOR);
    assert.match(user.id, /^usr_[0-9A-Z]{24}$/);
    const rest = { hasPassword: false, isDisabled: false, createdAtMs: nowMs, updatedAtMs: nowMs };
    assert.deepEqual(user, { id: user.id, login: 'ida', ...rest });
    assert.deepEqual(await users.findUser(user.id), user);
    assert.deepEqual(await users.findUser('ida'), user);
    assert.deepEqual(await users.findLogin('ida'), { ...user, passwordHash: null });
    assert.equal(await users.findLogin(user.id), undefined);
    await users.linkIdentity(user.id, 'https://id.example', 'subject-1', ACTOR);
    assert.deepEqual(await users.findByIdentity('https://id.example', 'subject-1'), user);
    assert.equal(await users.findByIdentity('https://other.example', 'subject-1'), undefined);
    assert.equal(await users.findByIdentity('https://id.example', 'Subject-1'), undefined);
    assert.ok((await users.listUsers()).some(({ id }) => id === user.id));
    await assert.rejects(users.createUser('ida', ACTOR), brumeError('conflict'));
    const other = await users.createUser('not-ida', ACTOR);
    const taken = users.linkIdentity(other.id, 'https://id.example', 'subject-1', ACTOR);
    await assert.rejects(taken, brumeError('conflict'));
    const nobody = users.linkIdentity('usr_none', 'https://id.example', 'subject-2', ACTOR);
    await assert.rejects(nobody, brumeError('unknown_user'));
  });

  it("a user's identities are listed and ended one by one, and never those of somebody else", async () => {
    const { users, clock } = stores();
    const [uma, val] = [await users.createUser('uma', ACTOR), await users.createUser('val', ACTOR)];
    assert.deepEqual(await users.listIdentities(uma.id), []);
    const identity = (subject: string) => ({
      issuer: 'https://id.example',
      subject,
      createdAtMs: clock.nowMs(),
    });
    for (const subject of ['uma-2', 'uma-1']) {
      await users.linkIdentity(uma.id, 'https://id.example', subject, ACTOR);
    }
    await users.linkIdentity(val.id, 'https://id.example', 'val-1', ACTOR);
    assert.deepEqual(await users.listIdentities(uma.id), [identity('uma-1'), identity('uma-2')]);
    const unlink = (userId: string, subject: string) =>
      users.unlinkIdentity(userId, 'https://id.example', subject, ACTOR);
    const before = await stores().revision();
    await assert.rejects(unlink(uma.id, 'val-1'), brumeError('unknown_identity'));
    await assert.rejects(unlink(uma.id, 'none'), brumeError('unknown_identity'));
    await assert.rejects(unlink('usr_none', 'uma-1'), brumeError('unknown_user'));
    await assert.rejects(users.listIdentities('usr_none'), brumeError('unknown_user'));
    assert.equal(await stores().revision(), before);
    await unlink(uma.id, 'uma-1');
    assert.deepEqual(await users.listIdentities(uma.id), [identity('uma-2')]);
    assert.equal(await users.findByIdentity('https://id.example', 'uma-1'), undefined);
    assert.equal((await users.findByIdentity('https://id.example', 'val-1'))?.id, val.id);
  });

  it('an invitation sets a password once, before its end, and ends the sessions', async () => {
    const { users, clock } = stores();
    const { id } = await users.createUser('jan', ACTOR);
    const first = newSha256();
    await users.createInvitation(id, { sha256: first, expiresAtMs: clock.nowMs() + 1000 }, ACTOR);
    const session = await users.createSession(
      id,
      { id: 'ses_jan', expiresAtMs: clock.nowMs() + 60_000 },
      ACTOR,
    );
    assert.deepEqual(await users.liveSession('ses_jan'), session);
    const user = await users.acceptInvitation(first, 'hash-1', { address: '192.0.2.1' });
    assert.equal(user.hasPassword, true);
    assert.equal((await users.findLogin('jan'))?.passwordHash, 'hash-1');
    assert.equal(await users.liveSession('ses_jan'), undefined);
    await assert.rejects(users.acceptInvitation(first, 'hash-2'), brumeError('unknown_invitation'));
    const late = newSha256();
    await users.createInvitation(id, { sha256: late, expiresAtMs: clock.nowMs() + 1000 }, ACTOR);
    clock.advance(1000);
    await assert.rejects(users.acceptInvitation(late, 'hash-2'), brumeError('unknown_invitation'));
    await assert.rejects(users.acceptInvitation(newSha256(), 'hash-2'), brumeError('unknown_invitation'));
    assert.equal((await users.findLogin('jan'))?.passwordHash, 'hash-1');
  });

  it('a new invitation ends the one before it; of two who accept at once one does', async () => {
    const { users, clock } = stores();
    const { id } = await users.createUser('kim', ACTOR);
    const [first, second] = [newSha256(), newSha256()];
    const expiresAtMs = clock.nowMs() + 1000;
    await users.createInvitation(id, { sha256: first, expiresAtMs }, ACTOR);
    await users.createInvitation(id, { sha256: second, expiresAtMs }, ACTOR);
    await assert.rejects(users.acceptInvitation(first, 'hash'), brumeError('unknown_invitation'));
    const results = await Promise.allSettled([
      users.acceptInvitation(second, 'hash-a'),
      users.acceptInvitation(second, 'hash-b'),
    ]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const nobody = users.createInvitation('usr_none', { sha256: newSha256(), expiresAtMs }, ACTOR);
    await assert.rejects(nobody, brumeError('unknown_user'));
  });

  it('a hash is renewed only where it is still the one that was checked, and nobody hears of it', async () => {
    const { users, clock } = stores();
    const { id } = await users.createUser('lea', ACTOR);
    const sha256 = newSha256();
    await users.createInvitation(id, { sha256, expiresAtMs: clock.nowMs() + 1000 }, ACTOR);
    await users.acceptInvitation(sha256, 'weak');
    const before = await stores().revision();
    await users.renewPasswordHash(id, 'weak', 'strong');
    await users.renewPasswordHash(id, 'weak', 'stale');
    assert.equal((await users.findLogin('lea'))?.passwordHash, 'strong');
    assert.equal(await stores().revision(), before);
  });

  it('a session lives until its end or its revocation, and is one of its user only', async () => {
    const { users, clock } = stores();
    const [max, ned] = [await users.createUser('max', ACTOR), await users.createUser('ned', ACTOR)];
    const expiresAtMs = clock.nowMs() + 1000;
    for (const id of ['max-1', 'max-2', 'max-3']) {
      const session = await users.createSession(max.id, { id, expiresAtMs }, ACTOR);
      assert.deepEqual(session, {
        id,
        userId: max.id,
        createdAtMs: clock.nowMs(),
        expiresAtMs,
        revokedAtMs: null,
      });
    }
    await assert.rejects(users.revokeSession(ned.id, 'max-1', ACTOR), brumeError('unknown_session'));
    await users.revokeSession(max.id, 'max-1', ACTOR);
    const revokedAtMs = clock.nowMs();
    clock.advance(1);
    await users.revokeSession(max.id, 'max-1', ACTOR);
    await users.endSession(max.id, 'max-1', ACTOR);
    assert.deepEqual(
      (await users.listSessions(max.id)).map((session) => [session.id, session.revokedAtMs]).sort(),
      [
        ['max-1', revokedAtMs],
        ['max-2', null],
        ['max-3', null],
      ],
    );
    assert.equal(await users.liveSession('max-1'), undefined);
    assert.equal((await users.liveSession('max-2'))?.id, 'max-2');
    clock.advance(999);
    assert.equal(await users.liveSession('max-2'), undefined);
    assert.deepEqual(await users.listSessions(max.id), []);
    await assert.rejects(
      users.createSession('usr_none', { id: 'none', expiresAtMs: clock.nowMs() + 1000 }, ACTOR),
      brumeError('unknown_user'),
    );
  });

  it('all sessions of a user end at once, and of nobody else', async () => {
    const { users, clock } = stores();
    const [one, two] = [await users.createUser('oda', ACTOR), await users.createUser('pia', ACTOR)];
    const expiresAtMs = clock.nowMs() + 1000;
    for (const id of ['oda-1', 'oda-2']) await users.createSession(one.id, { id, expiresAtMs }, ACTOR);
    await users.createSession(two.id, { id: 'pia-1', expiresAtMs }, ACTOR);
    await users.revokeSessions(one.id, ACTOR);
    for (const id of ['oda-1', 'oda-2']) assert.equal(await users.liveSession(id), undefined);
    assert.equal((await users.liveSession('pia-1'))?.userId, two.id);
    await assert.rejects(users.revokeSessions('usr_none', ACTOR), brumeError('unknown_user'));
  });

  it('a disabled user has no session and gets none, and no invitation of theirs is good', async () => {
    const { users, clock } = stores();
    const { id } = await users.createUser('quy', ACTOR);
    const sha256 = newSha256();
    const expiresAtMs = clock.nowMs() + 60_000;
    await users.createInvitation(id, { sha256, expiresAtMs }, ACTOR);
    await users.createSession(id, { id: 'quy-1', expiresAtMs }, ACTOR);
    assert.equal((await users.disableUser(id, true, ACTOR)).isDisabled, true);
    assert.equal(await users.liveSession('quy-1'), undefined);
    await assert.rejects(users.acceptInvitation(sha256, 'hash'), brumeError('unknown_invitation'));
    const refused = users.createSession(id, { id: 'quy-2', expiresAtMs }, ACTOR);
    await assert.rejects(refused, brumeError('unknown_user'));
    assert.equal((await users.disableUser(id, false, ACTOR)).isDisabled, false);
    assert.equal(await users.liveSession('quy-1'), undefined);
    await assert.rejects(users.disableUser('usr_none', true, ACTOR), brumeError('unknown_user'));
  });

  it('a deleted user takes identities, sessions and the tokens that it made with it', async () => {
    const { users, tokens, organisations, clock } = stores();
    const { id } = await users.createUser('rob', ACTOR);
    const organisation = await organisations.createOrganisation('of-rob', ACTOR);
    await organisations.setMember(organisation.id, id, 'viewer', ACTOR);
    const sha256 = newSha256();
    const expiresAtMs = clock.nowMs() + 60_000;
    await tokens.createToken(
      {
        organisationId: organisation.id,
        name: 'ci',
        role: 'viewer',
        prefix: 'p',
        madeBy: id,
        expiresAtMs,
        sha256,
      },
      ACTOR,
    );
    await users.linkIdentity(id, 'https://id.example', 'rob', ACTOR);
    await users.createSession(id, { id: 'rob-1', expiresAtMs }, ACTOR);
    await users.deleteUser(id, ACTOR);
    assert.equal(await users.findUser(id), undefined);
    assert.equal(await users.findByIdentity('https://id.example', 'rob'), undefined);
    assert.equal(await users.liveSession('rob-1'), undefined);
    assert.equal(await tokens.findToken(sha256), undefined);
    await assert.rejects(users.deleteUser(id, ACTOR), brumeError('unknown_user'));
  });
}
