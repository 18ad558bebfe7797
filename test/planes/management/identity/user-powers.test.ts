import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planeRoutes } from '../../../../scripts/docs/plane-routes.ts';
import { newOneTimeSecret } from '../../../../src/tenancy/identity/one-time-secret.ts';
import { startManagementPlane } from '../plane-harness.ts';

const ROUTES = (await planeRoutes()).management.filter(({ method }) => method !== 'HEAD');
const ACCEPT = '/v1/invitations/accept';
const PASSWORD = 'correct horse battery';
const LOCAL = { name: 'local:test', address: null, requestId: null };
const IN_A_DAY = () => new Date(Date.now() + 86_400_000).toISOString();

test('an invitation is worth nothing once its maker is no owner any more', async (t) => {
  const { call, user, state } = await startManagementPlane(t);
  await user('own1', { default: 'owner' });
  await user('own2', { default: 'owner', acme: 'owner' });
  await user('boss', { acme: 'owner' });
  const made = await call('POST', '/v1/users/boss/invitations', { as: 'own2' });
  assert.equal(made.status, 201);
  const removed = await call('DELETE', '/v1/organisations/default/members/own2', { as: 'own1' });
  assert.equal(removed.status, 204);
  await call('PUT', '/v1/users/own2', { as: 'own1', body: { isDisabled: true } });
  const accepted = await call('POST', ACCEPT, { body: { token: made.json.token, password: PASSWORD } });
  assert.deepEqual([accepted.status, accepted.json.code], [404, 'unknown_invitation']);
  const signedIn = await call('POST', '/v1/session', { body: { login: 'boss', password: PASSWORD } });
  assert.equal(signedIn.status, 401);
  assert.equal((await state.users.findUser('boss'))?.hasPassword, false);
});

test('an owner of the default organisation takes over nobody who has a higher role elsewhere', async (t) => {
  const { call, user, state } = await startManagementPlane(t);
  await user('own1', { default: 'owner' });
  await user('boss', { acme: 'owner' });
  const { id } = (await state.users.findUser('boss')) ?? { id: '' };
  const { secret: token, sha256 } = newOneTimeSecret();
  const ofTheMachine = { sha256, expiresAtMs: state.clock.nowMs() + 60_000 };
  await state.users.createInvitation(id, ofTheMachine, LOCAL);
  const identity = { issuer: 'https://id.example.com', subject: '42' };
  const assertSafe = async () => {
    for (const [path, body] of [
      ['/v1/users/boss/invitations', undefined],
      ['/v1/users/boss/identities', identity],
    ] as const) {
      const { status, json } = await call('POST', path, { as: 'own1', body });
      assert.deepEqual([status, json.code], [403, 'forbidden_role'], path);
      assert.match(String(json.detail), /higher role than you in another organisation.*sudo brume user/);
      assert.doesNotMatch(String(json.detail), /acme/);
    }
  };
  // Of who has never signed in the role is there to be taken as well.
  await assertSafe();
  const accepted = await call('POST', ACCEPT, { body: { token, password: PASSWORD } });
  assert.equal(accepted.status, 200, 'the link of the machine is still good');
  await assertSafe();
  // Stopping an account is no way into it.
  assert.equal((await call('DELETE', '/v1/users/boss/sessions', { as: 'own1' })).status, 204);
  const disabled = await call('PUT', '/v1/users/boss', { as: 'own1', body: { isDisabled: true } });
  assert.equal(disabled.status, 200);
});

test('a link for a new user ends when somebody else gives the user a role that its maker has not', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('dirk', { default: 'owner' });
  await user('sam', { shop: 'owner' });
  await call('POST', '/v1/users', { as: 'dirk', body: { login: 'newbie' } });
  const made = await call('POST', '/v1/users/newbie/invitations', { as: 'dirk' });
  assert.equal(made.status, 201);
  const path = '/v1/organisations/shop/members/newbie';
  assert.equal((await call('PUT', path, { as: 'sam', body: { role: 'owner' } })).status, 200);
  const body = { token: made.json.token, password: PASSWORD };
  const accepted = await call('POST', ACCEPT, { body });
  assert.deepEqual([accepted.status, accepted.json.code], [404, 'unknown_invitation']);
  assert.equal((await call('DELETE', path, { as: 'sam' })).status, 204);
  assert.equal((await call('POST', ACCEPT, { body })).status, 200);
});

test('an owner of the default organisation invites whom they made members, and who has no roles', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('dora', { default: 'owner', shop: 'admin' });
  for (const [login, organisation, role] of [
    ['plain', undefined, undefined],
    ['colleague', 'default', 'owner'],
    ['bert', 'shop', 'admin'],
  ] as const) {
    await call('POST', '/v1/users', { as: 'dora', body: { login } });
    if (organisation !== undefined) {
      const path = `/v1/organisations/${organisation}/members/${login}`;
      assert.equal((await call('PUT', path, { as: 'dora', body: { role } })).status, 200, login);
    }
    const made = await call('POST', `/v1/users/${login}/invitations`, { as: 'dora' });
    assert.equal(made.status, 201, login);
    const body = { token: made.json.token, password: PASSWORD };
    assert.equal((await call('POST', ACCEPT, { body })).status, 200, login);
  }
});

test("an admin ends neither an owner's sessions nor those of somebody who is an owner elsewhere", async (t) => {
  const { call, user, state } = await startManagementPlane(t);
  await user('anna', { default: 'owner' });
  await user('adam', { default: 'admin' });
  await user('boss', { acme: 'owner' });
  await user('dora', { default: 'developer', acme: 'admin' });
  const live = async (login: string) => {
    const { id } = (await state.users.findUser(login)) ?? { id: '' };
    const session = { id: `ses_${login}`, expiresAtMs: state.clock.nowMs() + 60_000 };
    await state.users.createSession(id, session, LOCAL);
    return async () => (await state.users.liveSession(session.id)) !== undefined;
  };
  for (const login of ['anna', 'boss']) {
    const isLive = await live(login);
    for (const path of [`/v1/users/${login}/sessions`, `/v1/users/${login}/sessions/ses_${login}`]) {
      const { status, json } = await call('DELETE', path, { as: 'adam' });
      assert.deepEqual([status, json.code], [403, 'forbidden_role'], path);
    }
    assert.equal(await isLive(), true);
  }
  const isLive = await live('dora');
  assert.equal((await call('DELETE', '/v1/users/dora/sessions', { as: 'adam' })).status, 204);
  assert.equal(await isLive(), false);
});

test('a token, whatever its role, gives nobody what would outlive it', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('bert', { default: 'viewer' });
  const made = await call('POST', '/v1/organisations/default/tokens', {
    as: 'olga',
    body: { name: 'ci', role: 'owner', expiresAt: IN_A_DAY() },
  });
  const token = String(made.json.token);
  const bodies: Readonly<Record<string, unknown>> = {
    'PUT /v1/users/:user': { isDisabled: false },
    'POST /v1/users/:user/identities': { issuer: 'https://id.example.com', subject: '42' },
    'PUT /v1/organisations/:organisation/members/:user': { role: 'owner' },
    'POST /v1/organisations/:organisation/tokens': { name: 'x', role: 'viewer', expiresAt: IN_A_DAY() },
    'PUT /v1/session/password': { password: PASSWORD, newPassword: PASSWORD },
  };
  const refused: string[] = [];
  for (const { method, url, config } of ROUTES) {
    const route = `${String(method)} ${url}`;
    const isOfUsers = url.startsWith('/v1/users') || url.startsWith('/v1/session');
    if (method === 'GET' || config?.isPublic === true) continue;
    if (!isOfUsers && config?.isForPeople !== true) continue;
    const path = url
      .replace(':organisation', 'default')
      .replace(':user', 'bert')
      .replaceAll(/:[a-z]+/g, 'x');
    const answer = await call(String(method), path, { token, body: bodies[route] });
    if (answer.status === 403 && /A token can't do this/.test(String(answer.json.detail)))
      refused.push(route);
    else
      assert.ok(
        ['POST /v1/users', 'DELETE /v1/session', 'DELETE /v1/sessions/:session'].includes(route),
        route,
      );
  }
  assert.deepEqual(refused.sort(), [
    'DELETE /v1/users/:user',
    'DELETE /v1/users/:user/identities',
    'DELETE /v1/users/:user/sessions',
    'DELETE /v1/users/:user/sessions/:session',
    'POST /v1/organisations',
    'POST /v1/organisations/:organisation/tokens',
    'POST /v1/users/:user/identities',
    'POST /v1/users/:user/invitations',
    'PUT /v1/organisations/:organisation/members/:user',
    'PUT /v1/session/password',
    'PUT /v1/users/:user',
  ]);
  // The maker may all of it.
  assert.equal((await call('POST', '/v1/users/bert/invitations', { as: 'olga' })).status, 201);
});
