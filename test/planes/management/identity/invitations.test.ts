import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SQL_DIALECTS } from '../../../support/sql-engines.ts';
import { PASSWORD, startConsole } from './console-harness.ts';

const ACCEPT = '/v1/invitations/accept';

test('an invitation sets a password, once', async (t) => {
  const { ask, invited, signedIn } = await startConsole(t);
  const { secret: token } = await invited('anna');
  const accepted = await ask('POST', ACCEPT, { body: { token, password: PASSWORD } });
  assert.deepEqual([accepted.status, accepted.json], [200, { login: 'anna' }]);
  assert.equal((await ask('GET', '/v1/session', { token: await signedIn('anna') })).status, 200);
  const again = await ask('POST', ACCEPT, { body: { token, password: 'another password' } });
  assert.deepEqual([again.status, again.json.code], [404, 'unknown_invitation']);
});

describe('of many who use one link at the same moment one succeeds', () => {
  for (const dialect of SQL_DIALECTS) {
    test(dialect, async (t) => {
      const { ask, invited } = await startConsole(t, { dialect });
      const { secret: token } = await invited('anna');
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          ask('POST', ACCEPT, { body: { token, password: `${PASSWORD} ${at}` }, from: `127.0.0.${at + 10}` }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(404)]);
      const winner = answers.findIndex(({ status }) => status === 200);
      const signIn = (at: number) =>
        ask('POST', '/v1/session', {
          body: { login: 'anna', password: `${PASSWORD} ${at}` },
          from: `127.0.1.${at + 10}`,
        });
      const statuses = await Promise.all(answers.map((_, at) => signIn(at)));
      assert.deepEqual(
        statuses.map(({ status }) => status),
        answers.map((_, at) => (at === winner ? 201 : 401)),
      );
    });
  }
});

test('a new password ends all sessions, and a new link the earlier ones', async (t) => {
  const { ask, invited, registered, signedIn } = await startConsole(t);
  await registered('anna');
  const token = await signedIn('anna');
  const { secret: first } = await invited('anna');
  const { secret: second } = await invited('anna');
  assert.equal((await ask('POST', ACCEPT, { body: { token: first, password: PASSWORD } })).status, 404);
  assert.equal((await ask('GET', '/v1/session', { token })).status, 200);
  assert.equal(
    (await ask('POST', ACCEPT, { body: { token: second, password: 'a new password' } })).status,
    200,
  );
  assert.equal((await ask('GET', '/v1/session', { token })).status, 401);
});

test('after 24 hours a link is worth nothing', async (t) => {
  const { ask, invited, time } = await startConsole(t);
  const { secret: token } = await invited('anna');
  await time.advance(86_400_000);
  assert.equal((await ask('POST', ACCEPT, { body: { token, password: PASSWORD } })).status, 404);
});

test('a password that is too short or too long is refused by name, and the link stays good', async (t) => {
  const { ask, invited } = await startConsole(t);
  const { secret: token } = await invited('anna');
  for (const password of ['a'.repeat(11), 'a'.repeat(257), 'a'.repeat(600)]) {
    const { status, json } = await ask('POST', ACCEPT, { body: { token, password } });
    assert.deepEqual([status, json.field], [400, 'password']);
  }
  assert.equal((await ask('POST', ACCEPT, { body: { token, password: 'a'.repeat(256) } })).status, 200);
});

test('guessing links is slowed down', async (t) => {
  const { ask } = await startConsole(t);
  const statuses: number[] = [];
  for (let at = 0; at < 25; at++) {
    const token = `brume_in_${String(at).padStart(43, 'x')}`;
    const { status } = await ask('POST', ACCEPT, { body: { token, password: PASSWORD }, from: '127.0.0.7' });
    statuses.push(status);
  }
  assert.deepEqual(statuses, [...Array(21).fill(404), ...Array(4).fill(429)]);
});

test('an owner invites by the API; an admin, who could take over an owner by it, may not', async (t) => {
  const { ask, registered, signedIn, users, actor } = await startConsole(t, {
    env: { BRUME_MANAGEMENT_URL: 'https://brume.example.org/' },
  });
  await registered('root', 'owner');
  await registered('adam', 'admin');
  await users.createUser('anna', actor);
  const refused = await ask('POST', '/v1/users/root/invitations', { token: await signedIn('adam') });
  assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden_role']);
  const token = await signedIn('root');
  const made = await ask('POST', '/v1/users/anna/invitations', { token });
  assert.equal(made.status, 201);
  assert.equal(made.json.url, `https://brume.example.org/invitation#${made.json.token}`);
  const body = { token: made.json.token, password: PASSWORD };
  assert.deepEqual((await ask('POST', ACCEPT, { body })).json, { login: 'anna' });
  assert.equal((await ask('POST', '/v1/users/nobody/invitations', { token })).status, 404);
});
