import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SQL_DIALECTS } from '../../../support/sql-engines.ts';
import { startConsole } from './console-harness.ts';

const ROUNDS = 12;
const MEMBERS = '/v1/organisations/default/members';

for (const dialect of SQL_DIALECTS) {
  describe(`who changes members at the same moment, on ${dialect}`, () => {
    test('of two owners who demote each other one stays an owner, though a third would be left', async (t) => {
      const { ask, registered, signedIn, organisations, actor } = await startConsole(t, { dialect });
      const [anna, bert] = [await registered('anna', 'owner'), await registered('bert', 'owner')];
      await registered('carl', 'owner');
      const tokens = { anna: await signedIn('anna'), bert: await signedIn('bert') };
      for (let round = 0; round < ROUNDS; round++) {
        for (const { id } of [anna, bert]) {
          await organisations.setMember('org_default', id, 'owner', actor);
        }
        const method = round % 2 === 0 ? 'PUT' : 'DELETE';
        const body = method === 'PUT' ? { role: 'viewer' } : undefined;
        const answers = await Promise.all([
          ask(method, `${MEMBERS}/bert`, { token: tokens.anna, body }),
          ask(method, `${MEMBERS}/anna`, { token: tokens.bert, body }),
        ]);
        const statuses = answers.map(({ status }) => status).sort();
        const refused = method === 'PUT' ? 403 : 404;
        assert.deepEqual(statuses, [method === 'PUT' ? 200 : 204, refused], `round ${round}`);
        const roles = await Promise.all(
          [anna, bert].map(({ id }) => organisations.roleOf('org_default', id)),
        );
        assert.equal(roles.filter((role) => role === 'owner').length, 1);
      }
    });

    test('what an admin writes never stands behind what took the role away', async (t) => {
      const { ask, registered, signedIn, organisations, users, audit, actor } = await startConsole(t, {
        dialect,
      });
      await registered('olga', 'owner');
      const anna = await registered('anna', 'admin');
      const [olgas, annas] = [await signedIn('olga'), await signedIn('anna')];
      for (let round = 0; round < ROUNDS; round++) {
        await organisations.setMember('org_default', anna.id, 'admin', actor);
        const logins = [0, 1, 2, 3].map((at) => `user-${round}-${at}`);
        for (const login of logins) await users.createUser(login, actor);
        const give = (login: string) =>
          ask('PUT', `${MEMBERS}/${login}`, { token: annas, body: { role: 'admin' } });
        const [first = '', ...others] = logins;
        const writes = await Promise.all([
          give(first),
          ask('PUT', `${MEMBERS}/anna`, { token: olgas, body: { role: 'viewer' } }),
          ...others.map(give),
        ]);
        assert.equal(writes[1]?.status, 200);
        assert.ok(writes.every(({ status }) => status === 200 || status === 403));
      }
      let isAdmin = false;
      for (const { action, actor: by, target, after } of await audit.listAudit({ pageSize: 1000 })) {
        if (action !== 'member.set') continue;
        if (target === 'anna') isAdmin = Object(after).role === 'admin';
        else if (by === 'user:anna') assert.ok(isAdmin, `${target} was given a role by somebody without one`);
      }
    });

    test('a token whose maker is demoted meanwhile writes nothing behind it', async (t) => {
      const { ask, registered, signedIn, organisations, actor, time } = await startConsole(t, { dialect });
      await registered('olga', 'owner');
      const [anna, bert] = [await registered('anna', 'owner'), await registered('bert')];
      const expiresAt = new Date(time.nowMs() + 86_400_000).toISOString();
      const made = await ask('POST', '/v1/organisations/default/tokens', {
        token: await signedIn('anna'),
        body: { name: 'ci', role: 'owner', expiresAt },
      });
      const token = String(made.json.token);
      const owner = () => organisations.setMember('org_default', bert.id, 'owner', actor);
      const write = () => ask('DELETE', `${MEMBERS}/bert`, { token });
      await owner();
      assert.equal((await write()).status, 204);
      await owner();
      await organisations.setMember('org_default', anna.id, 'admin', actor);
      assert.equal((await write()).status, 403, 'an admin, who can not take the role of an owner');
      const stale = { userId: anna.id, tokenId: String(made.json.id) };
      const asToken = (role: 'viewer' | 'owner') =>
        organisations.setMember('org_default', bert.id, role, actor, { writer: stale });
      await assert.rejects(asToken('viewer'), /forbidden_role|owner/);
      await organisations.setMember('org_default', bert.id, 'developer', actor);
      assert.equal((await asToken('viewer')).role, 'viewer');
      await organisations.removeMember('org_default', anna.id, actor);
      await assert.rejects(asToken('viewer'), /no such organisation/);
    });
  });
}
