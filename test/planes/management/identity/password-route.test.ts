import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, startConsole } from './console-harness.ts';

const PATH = '/v1/session/password';
const NEW = 'another horse battery';

test('who knows the password changes it; other sessions and links end, this one goes on', async (t) => {
  const { ask, registered, signedIn, invited, audit } = await startConsole(t);
  await registered('anna');
  const [token, other] = [await signedIn('anna'), await signedIn('anna')];
  const { secret } = await invited('anna');
  const body = { password: PASSWORD, newPassword: NEW };
  assert.equal((await ask('PUT', PATH, { token, body })).status, 204);
  assert.equal((await ask('GET', '/v1/session', { token })).status, 200);
  assert.equal((await ask('GET', '/v1/session', { token: other })).status, 401);
  const signIn = async (password: string) =>
    (await ask('POST', '/v1/session', { body: { login: 'anna', password } })).status;
  assert.deepEqual([await signIn(PASSWORD), await signIn(NEW)], [401, 201]);
  const accepted = await ask('POST', '/v1/invitations/accept', {
    body: { token: secret, password: PASSWORD },
  });
  assert.equal(accepted.json.code, 'unknown_invitation');
  const entries = await audit.listAudit({ pageSize: 1000, action: 'user.password' });
  assert.deepEqual(entries.map(({ actor, target, address }) => [actor, target, address]).at(-1), [
    'user:anna',
    'anna',
    '127.0.0.1',
  ]);
  assert.doesNotMatch(JSON.stringify(entries), /horse|argon2/);
});

test('who does not know it changes nothing, and is slowed down as at a sign-in', async (t) => {
  const { ask, registered, signedIn, users } = await startConsole(t);
  await registered('anna');
  const before = await users.findLogin('anna');
  const token = await signedIn('anna');
  const change = (password: string, newPassword = NEW) =>
    ask('PUT', PATH, { token, body: { password, newPassword } });
  for (const [password, newPassword, field] of [
    ['wrong password', NEW, 'password'],
    [PASSWORD, 'too short', 'newPassword'],
    [PASSWORD, 'x'.repeat(257), 'newPassword'],
  ] as const) {
    const { status, json } = await change(password, newPassword);
    assert.deepEqual([status, json.code, json.field], [400, 'bad_request', field]);
  }
  for (let at = 0; at < 5; at++) assert.equal((await change('wrong password')).status, 400);
  const throttled = await change(PASSWORD);
  assert.deepEqual([throttled.status, throttled.json.code], [429, 'throttled_sign_in']);
  assert.deepEqual(await users.findLogin('anna'), before);
  assert.equal((await ask('GET', '/v1/session', { token })).status, 200);
  assert.equal((await ask('PUT', PATH, { body: { password: PASSWORD, newPassword: NEW } })).status, 401);
});
