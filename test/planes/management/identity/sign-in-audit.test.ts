import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SQL_DIALECTS } from '../../../support/sql-engines.ts';
import { PASSWORD, startConsole } from './console-harness.ts';

const SESSIONS = ['session.create', 'session.refuse', 'session.end', 'session.revoke', 'sessions.revoke'];

for (const dialect of SQL_DIALECTS) {
  describe(`sign-ins in the audit, on ${dialect}`, () => {
    test('signing in and out and revoked sessions are on record: who, from where, which session', async (t) => {
      const { ask, registered, audit } = await startConsole(t, { dialect });
      await registered('root', 'owner');
      await registered('anna');
      const body = (login: string) => ({ login, password: PASSWORD });
      const first = await ask('POST', '/v1/session', { body: body('anna'), from: '127.0.0.7' });
      const token = String(first.json.token);
      const { sessionId } = (await ask('GET', '/v1/session', { token })).json;
      assert.equal((await ask('DELETE', '/v1/session', { token, from: '127.0.0.8' })).status, 204);
      await ask('POST', '/v1/session', { body: body('anna') });
      const root = String((await ask('POST', '/v1/session', { body: body('root') })).json.token);
      assert.equal((await ask('DELETE', '/v1/users/anna/sessions', { token: root })).status, 204);
      const entries = (await audit.listAudit({ pageSize: 1000 })).filter(({ action }) =>
        SESSIONS.includes(action),
      );
      assert.deepEqual(
        entries.map(({ action, actor, target, address }) => [action, actor, target, address]),
        [
          ['session.create', 'user:anna', 'anna', '127.0.0.7'],
          ['session.end', 'user:anna', 'anna', '127.0.0.8'],
          ['session.create', 'user:anna', 'anna', '127.0.0.1'],
          ['session.create', 'user:root', 'root', '127.0.0.1'],
          ['sessions.revoke', 'user:root', 'anna', '127.0.0.1'],
        ],
      );
      const [begun, ended] = entries;
      assert.match(String(begun?.requestId), /./);
      assert.deepEqual(
        [begun, ended].map((entry) => Object(entry?.after).id),
        [sessionId, sessionId],
      );
      const seen = JSON.stringify(entries);
      for (const secret of [token, root, PASSWORD]) assert.ok(!seen.includes(secret));
    });

    test('refused sign-ins and links are on record, counted, without what was typed', async (t) => {
      const { ask, registered, audit, time } = await startConsole(t, { dialect });
      await registered('anna');
      const signIn = (login: string, password: string) =>
        ask('POST', '/v1/session', { body: { login, password }, from: '127.0.0.7' });
      for (let at = 0; at < 8; at++) await signIn('anna', 'a wrong password');
      await signIn('typed-my-password-here', 'a wrong password');
      const token = `brume_in_${'x'.repeat(43)}`;
      await ask('POST', '/v1/invitations/accept', { body: { token, password: PASSWORD }, from: '127.0.0.9' });
      const refused = async () =>
        (await audit.listAudit({ action: 'session.refuse', pageSize: 100 })).map(
          ({ actor, target, address, after }) => {
            const { by, wrong, throttled } = Object(after);
            return [actor, target, address, by, wrong, throttled];
          },
        );
      assert.deepEqual(await refused(), []);
      await time.advance(60_000);
      for (let turn = 0; turn < 1000 && (await refused()).length < 3; turn++);
      assert.deepEqual(await refused(), [
        ['nobody', 'anna', '127.0.0.7', 'password', 6, 2],
        ['nobody', '(unknown)', '127.0.0.7', 'password', 1, 0],
        ['nobody', '(unknown)', '127.0.0.9', 'invitation', 1, 0],
      ]);
      const seen = JSON.stringify(await audit.listAudit({ pageSize: 1000 }));
      for (const typed of ['typed-my-password-here', 'a wrong password', token]) {
        assert.ok(!seen.includes(typed), typed);
      }
    });
  });
}
