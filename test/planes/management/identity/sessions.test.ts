import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Argon2Passwords } from '../../../../src/identity/argon2-passwords.ts';
import { PASSWORD, startConsole } from './console-harness.ts';

test('who signs in gets a token, and learns by it who they are and what they may', async (t) => {
  const { ask, registered, config } = await startConsole(t);
  const { id } = await registered('anna', 'owner');
  const signedIn = await ask('POST', '/v1/session', { body: { login: 'anna', password: PASSWORD } });
  assert.equal(signedIn.status, 201);
  const { token, expiresAt, login } = signedIn.json;
  assert.equal(login, 'anna');
  assert.equal(Date.parse(String(expiresAt)), 1_800_000_000_000 + config.sessionMs);
  const { status, json } = await ask('GET', '/v1/session', { token: String(token) });
  assert.equal(status, 200);
  const { sessionId, ...rest } = json;
  assert.match(String(sessionId), /^ses_[0-9a-f]{32}$/);
  assert.deepEqual(rest, {
    name: 'user:anna',
    userId: id,
    login: 'anna',
    organisations: [{ id: 'org_default', name: 'default', role: 'owner' }],
  });
});

test('a wrong password, an unknown login and one without a password get the same answer', async (t) => {
  const { ask, registered, invited, users, actor } = await startConsole(t);
  await registered('anna');
  await invited('bert');
  const carl = await registered('carl');
  await users.disableUser(carl.id, true, actor);
  const bodies = new Set<string>();
  for (const [login, password] of [
    ['anna', 'wrong'],
    ['anna', ''],
    ['nobody', PASSWORD],
    ['bert', ''],
    ['carl', PASSWORD],
    ['', PASSWORD],
    ['an\u0000na', PASSWORD],
    ["' or 1=1 --", PASSWORD],
  ]) {
    const { status, body, headers } = await ask('POST', '/v1/session', { body: { login, password } });
    assert.equal(status, 401, login);
    assert.match(String(headers['www-authenticate']), /^Bearer/);
    bodies.add(body);
  }
  assert.equal(bodies.size, 1);
});

test('B54: after signing out the token is refused at the very next request, also while others still ask', async (t) => {
  const { ask, registered, signedIn } = await startConsole(t);
  await registered('anna');
  const [token, another] = [await signedIn('anna'), await signedIn('anna')];
  const status = async (of: string) => (await ask('GET', '/v1/session', { token: of })).status;
  await Promise.all(Array.from({ length: 50 }, () => status(token)));
  assert.equal((await ask('DELETE', '/v1/session', { token })).status, 204);
  assert.deepEqual(await Promise.all(Array.from({ length: 20 }, () => status(token))), Array(20).fill(401));
  assert.equal(await status(another), 200);
});

test('sessions are listed and ended one by one, but never those of somebody else', async (t) => {
  const { ask, registered, signedIn } = await startConsole(t);
  await registered('root', 'admin');
  await registered('anna');
  await registered('bert');
  const [anna, annas, bert] = [await signedIn('anna'), await signedIn('anna'), await signedIn('bert')];
  const idOf = async (token: string) => String((await ask('GET', '/v1/session', { token })).json.sessionId);
  const items = (await ask('GET', '/v1/sessions', { token: anna })).json.items as { id: string }[];
  assert.deepEqual(new Set(items.map(({ id }) => id)), new Set([await idOf(anna), await idOf(annas)]));
  for (const [path, token] of [
    ['/v1/sessions', anna],
    ['/v1/users/anna/sessions', await signedIn('root')],
  ] as const) {
    const page = await ask('GET', `${path}?limit=1`, { token });
    const { next } = page.json;
    const rest = await ask('GET', `${path}?limit=1&after=${next}`, { token });
    assert.deepEqual(
      [page, rest].map(({ json }) => Object(json.items).length),
      [1, 1],
      path,
    );
    assert.notDeepEqual(page.json.items, rest.json.items);
    assert.equal(rest.json.next, null);
    assert.equal((await ask('GET', `${path}?limit=0`, { token })).status, 400);
  }
  assert.equal((await ask('DELETE', `/v1/sessions/${await idOf(bert)}`, { token: anna })).status, 404);
  assert.equal((await ask('DELETE', '/v1/sessions/a%00b', { token: anna })).status, 404);
  assert.equal((await ask('DELETE', `/v1/sessions/${await idOf(annas)}`, { token: anna })).status, 204);
  assert.equal((await ask('GET', '/v1/session', { token: annas })).status, 401);
  assert.equal((await ask('GET', '/v1/session', { token: bert })).status, 200);
});

test('a session ends at its end, whatever the tolerance of clocks', async (t) => {
  const { ask, registered, signedIn, time } = await startConsole(t, { env: { BRUME_SESSION_MS: '60000' } });
  await registered('anna');
  const token = await signedIn('anna');
  await time.advance(59_000);
  assert.equal((await ask('GET', '/v1/session', { token })).status, 200);
  await time.advance(1000);
  assert.equal((await ask('GET', '/v1/session', { token })).status, 401);
});

test('who is disabled, deleted or removed is refused at the very next request', async (t) => {
  const { ask, registered, signedIn, users, organisations, actor } = await startConsole(t);
  await registered('root', 'owner');
  const [anna, bert, carl] = [
    await registered('anna'),
    await registered('bert'),
    await registered('carl', 'admin'),
  ];
  const [annas, berts, carls] = [await signedIn('anna'), await signedIn('bert'), await signedIn('carl')];
  await users.disableUser(anna.id, true, actor);
  assert.equal((await ask('GET', '/v1/session', { token: annas })).status, 401);
  await users.disableUser(anna.id, false, actor);
  assert.equal((await ask('GET', '/v1/session', { token: annas })).status, 401, 'ended for good');
  await users.deleteUser(bert.id, actor);
  assert.equal((await ask('GET', '/v1/session', { token: berts })).status, 401);
  assert.equal((await ask('GET', '/v1/users/root/sessions', { token: carls })).status, 200);
  await organisations.removeMember('org_default', carl.id, actor);
  assert.equal((await ask('GET', '/v1/users/root/sessions', { token: carls })).status, 403);
});

test("an admin ends somebody's sessions, all of them or one", async (t) => {
  const { ask, registered, signedIn } = await startConsole(t);
  await registered('root', 'admin');
  await registered('anna');
  const root = await signedIn('root');
  const tokens = [await signedIn('anna'), await signedIn('anna'), await signedIn('anna')];
  const alive = async () => {
    const answers = await Promise.all(tokens.map((token) => ask('GET', '/v1/session', { token })));
    return answers.filter(({ status }) => status === 200).length;
  };
  const { sessionId } = (await ask('GET', '/v1/session', { token: tokens[0] })).json;
  assert.equal((await ask('DELETE', `/v1/users/anna/sessions/${sessionId}`, { token: root })).status, 204);
  assert.equal(await alive(), 2);
  assert.equal((await ask('DELETE', '/v1/users/anna/sessions', { token: tokens[1] })).status, 403);
  assert.equal((await ask('DELETE', '/v1/users/anna/sessions', { token: root })).status, 204);
  assert.equal(await alive(), 0);
});

test('guessing is slowed down with 429 and Retry-After, and nobody else is', async (t) => {
  const { ask, registered, time } = await startConsole(t);
  await registered('anna');
  const guess = (password: string, from: string) =>
    ask('POST', '/v1/session', { body: { login: 'anna', password }, from });
  for (let at = 0; at < 6; at++) assert.equal((await guess('wrong password', '127.0.0.7')).status, 401);
  const refused = await guess(PASSWORD, '127.0.0.7');
  assert.deepEqual(
    [refused.status, refused.json.code, refused.headers['retry-after']],
    [429, 'throttled_sign_in', '1'],
  );
  assert.equal((await guess(PASSWORD, '127.0.0.8')).status, 201, 'another address');
  await time.advance(1000);
  assert.equal((await guess(PASSWORD, '127.0.0.7')).status, 201);
});

test('a password is hashed anew at sign-in when it was hashed with less effort', async (t) => {
  const { ask, registered, users } = await startConsole(t);
  const { id } = await registered('anna');
  const cheap = await new Argon2Passwords({ memoryKib: 64, passes: 1, parallelism: 1 }).hash(PASSWORD);
  const hashOf = async () => (await users.findLogin('anna'))?.passwordHash ?? '';
  await users.renewPasswordHash(id, await hashOf(), cheap);
  assert.equal(await hashOf(), cheap);
  assert.equal(
    (await ask('POST', '/v1/session', { body: { login: 'anna', password: PASSWORD } })).status,
    201,
  );
  assert.match(await hashOf(), /m=19456,t=2,p=1/);
  assert.equal(
    (await ask('POST', '/v1/session', { body: { login: 'anna', password: PASSWORD } })).status,
    201,
  );
});

test('no password, hash, token or link is in any log line or in the audit', async (t) => {
  const { ask, registered, signedIn, lines, users, audit } = await startConsole(t);
  await registered('anna', 'owner');
  const token = await signedIn('anna');
  const { json } = await ask('POST', '/v1/users/anna/invitations', { token });
  const hash = (await users.findLogin('anna'))?.passwordHash ?? '';
  const entries = await audit.listAudit({ pageSize: 1000 });
  assert.ok(entries.some(({ action }) => action === 'user.invite'));
  const seen = JSON.stringify([lines, entries]);
  for (const secret of [PASSWORD, hash, token, String(json.token)]) assert.ok(!seen.includes(secret));
});
