import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { SqlDialect } from '../../../../src/stores/sql/sql.ts';
import { SQL_DIALECTS } from '../../../support/sql-engines.ts';
import { PASSWORD, startConsole } from './console-harness.ts';

const ACCEPT = '/v1/invitations/accept';
const MEMBERS = '/v1/organisations/default/members';

/** Anna, an owner, with two sessions and a management token of hers. */
async function withAnna(t: TestContext, dialect: SqlDialect) {
  const console = await startConsole(t, { dialect });
  const { ask, registered, signedIn, users, organisations, actor, time } = console;
  await registered('root', 'owner');
  const anna = await registered('anna', 'owner');
  const [session, other] = [await signedIn('anna'), await signedIn('anna')];
  const made = await ask('POST', '/v1/organisations/default/tokens', {
    token: session,
    body: { name: 'ci', role: 'owner', expiresAt: new Date(time.nowMs() + 3_600_000).toISOString() },
  });
  const token = String(made.json.token);
  await registered('carl');
  /** Of who asks: may read, and may write what an owner may. */
  const power = async (of: string) => {
    await organisations.setMember('org_default', (await users.findUser('carl'))?.id ?? '', 'owner', actor);
    const [read, write] = [
      await ask('GET', MEMBERS, { token: of }),
      await ask('DELETE', `${MEMBERS}/carl`, { token: of }),
    ];
    return [read.status, write.status];
  };
  for (const one of [session, other, token]) assert.deepEqual(await power(one), [200, 204]);
  return { ...console, anna, session, other, token, tokenId: String(made.json.id), power };
}

for (const dialect of SQL_DIALECTS) {
  describe(`power is lost at the very next request, on ${dialect}`, () => {
    test('of a token whose maker is demoted, as of the maker', async (t) => {
      const { anna, session, token, power, organisations, actor } = await withAnna(t, dialect);
      const role = (to: 'viewer' | 'owner') => organisations.setMember('org_default', anna.id, to, actor);
      await role('viewer');
      for (const one of [session, token]) assert.deepEqual(await power(one), [200, 403]);
      await role('owner');
      for (const one of [session, token]) assert.deepEqual(await power(one), [200, 204]);
    });

    test('of a token whose maker is removed, for good', async (t) => {
      const { anna, session, token, power, organisations, actor } = await withAnna(t, dialect);
      await organisations.removeMember('org_default', anna.id, actor);
      assert.deepEqual(
        [await power(session), await power(token)],
        [
          [404, 404],
          [401, 401],
        ],
      );
      await organisations.setMember('org_default', anna.id, 'owner', actor);
      assert.deepEqual(
        [await power(session), await power(token)],
        [
          [200, 204],
          [401, 401],
        ],
      );
    });

    test('of a token whose maker is disabled, for good, and of the sessions', async (t) => {
      const { anna, session, token, power, users, actor } = await withAnna(t, dialect);
      for (const isDisabled of [true, false]) {
        await users.disableUser(anna.id, isDisabled, actor);
        for (const one of [session, token]) assert.deepEqual(await power(one), [401, 401]);
      }
    });

    test('of a token and a session of who is deleted', async (t) => {
      const { anna, session, token, power, users, actor } = await withAnna(t, dialect);
      await users.deleteUser(anna.id, actor);
      for (const one of [session, token]) assert.deepEqual(await power(one), [401, 401]);
    });

    test('of a revoked token, and of a session that was ended', async (t) => {
      const { ask, session, other, token, tokenId, power } = await withAnna(t, dialect);
      const path = `/v1/organisations/default/tokens/${tokenId}`;
      assert.equal((await ask('DELETE', path, { token: session })).status, 200);
      assert.deepEqual(await power(token), [401, 401]);
      assert.equal((await ask('DELETE', '/v1/session', { token: session })).status, 204);
      assert.deepEqual(await power(session), [401, 401]);
      assert.deepEqual(await power(other), [200, 204]);
    });

    test('of all sessions when the password is changed; tokens for programs go on', async (t) => {
      const { ask, invited, session, other, token, power } = await withAnna(t, dialect);
      const { secret } = await invited('anna');
      const body = { token: secret, password: 'a new password' };
      assert.equal((await ask('POST', ACCEPT, { body })).status, 200);
      for (const one of [session, other]) assert.deepEqual(await power(one), [401, 401]);
      assert.deepEqual(await power(token), [200, 204]);
    });

    test('of a sign-in with the old password that is under way while it is changed', async (t) => {
      const { ask, invited, registered } = await startConsole(t, { dialect });
      await registered('bert');
      let before = PASSWORD;
      for (let round = 0; round < 8; round++) {
        const { secret } = await invited('bert');
        const password = `password of round ${round}`;
        const from = `127.0.0.${round + 10}`;
        const [signedIn, accepted] = await Promise.all([
          ask('POST', '/v1/session', { body: { login: 'bert', password: before }, from }),
          ask('POST', ACCEPT, { body: { token: secret, password }, from }),
        ]);
        assert.equal(accepted.status, 200);
        const { status } = await ask('GET', '/v1/session', { token: String(signedIn.json.token) });
        assert.equal(status, 401, `round ${round}: signing in was ${signedIn.status}`);
        before = password;
      }
    });
  });
}
