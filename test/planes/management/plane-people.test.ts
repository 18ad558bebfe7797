import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newManagementTokenSecret } from '../../../src/tenancy/management-token-secret.ts';
import { DEFAULT_ORGANISATION_ID } from '../../../src/tenancy/organisation.ts';
import { type PlaneHarness, startManagementPlane } from './plane-harness.ts';

const ACME = '/v1/organisations/acme';
const LOCAL = { name: 'local:test', address: null, requestId: null };
const IN_A_DAY = () => new Date(Date.now() + 86_400_000).toISOString();

test('an organisation is created, listed, shown, renamed and deleted', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  const created = await call('POST', '/v1/organisations', { as: 'olga', body: { name: 'acme' } });
  assert.equal(created.status, 201);
  assert.equal(created.headers.location, ACME);
  assert.equal(created.headers.etag, `"${created.json.version}"`);
  // Whoever makes one owns it.
  assert.equal((await call('GET', ACME, { as: 'olga' })).status, 200);

  await user('anna', { acme: 'owner' });
  assert.deepEqual((await call('GET', ACME, { as: 'anna' })).json, created.json);
  const renamed = await call('PUT', ACME, { as: 'anna', body: { name: 'acme-eu' } });
  assert.deepEqual([renamed.status, renamed.json.name], [200, 'acme-eu']);
  const again = await call('POST', '/v1/organisations', { as: 'olga', body: { name: 'acme-eu' } });
  assert.deepEqual([again.status, again.json.code], [409, 'conflict']);
  assert.equal((await call('DELETE', `/v1/organisations/${created.json.id}`, { as: 'anna' })).status, 204);
  assert.equal((await call('GET', ACME, { as: 'anna' })).status, 404);
});

test('an organisation belongs to whoever made it, or to whom an owner of the default one names', async (t) => {
  const { state, call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('adam', { default: 'admin' });
  await user('anna', {});
  await user('dora', {});
  const create = (name: string, as: string, owner?: string) =>
    call('POST', '/v1/organisations', { as, body: { name, owner } });
  const members = async ({ json }: { json: Record<string, unknown> }) =>
    (await state.organisations.listMembers(String(json.id))).map(({ login, role }) => [login, role]);

  assert.deepEqual(await members(await create('own', 'adam')), [['adam', 'owner']]);
  const body = { name: 'shop', organisation: 'own' };
  const project = await call('POST', '/v1/projects', { as: 'adam', body });
  assert.equal(project.status, 201, project.body);
  assert.deepEqual(await members(await create('own-by-name', 'adam', 'adam')), [['adam', 'owner']]);

  const shield = await create('not-made', 'adam', 'anna');
  assert.deepEqual([shield.status, shield.json.code, shield.json.field], [403, 'forbidden_role', 'owner']);
  assert.match(String(shield.json.detail), /somebody else as the owner needs the role owner; yours is admin/);
  assert.equal((await call('POST', '/v1/users/anna/invitations', { as: 'olga' })).status, 201);

  assert.deepEqual(await members(await create('named', 'olga', 'anna')), [['anna', 'owner']]);
  assert.equal((await call('GET', '/v1/organisations/named', { as: 'anna' })).status, 200);
  assert.equal((await call('GET', '/v1/organisations/named', { as: 'olga' })).status, 404);

  const { id: dora } = (await state.users.findUser('dora')) ?? { id: '' };
  await state.users.disableUser(dora, true, LOCAL);
  for (const [owner, status] of [
    ['dora', 400],
    ['nobody', 404],
    ['\u0000', 404],
  ] as const) {
    const refused = await create('not-made', 'olga', owner);
    assert.equal(refused.status, status, refused.body);
  }
  assert.equal(await state.organisations.findOrganisation('not-made'), undefined);
});

test('a token makes no organisation, whose owner would stay behind when the token has ended', async (t) => {
  const { state, call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('anna', {});
  const { id: olga } = (await state.users.findUser('olga')) ?? { id: '' };
  for (const madeBy of [olga, null]) {
    const token = await tokenOf(state, madeBy);
    for (const owner of [undefined, 'anna', 'olga']) {
      const refused = await call('POST', '/v1/organisations', { token, body: { name: 'evil', owner } });
      assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden_role'], owner);
    }
  }
  assert.equal(await state.organisations.findOrganisation('evil'), undefined);
});

test('whoever deletes the only owner of an organisation that is not there to them is told what to do', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('anna', { acme: 'owner' });
  const { status, json } = await call('DELETE', '/v1/users/anna', { as: 'olga' });
  assert.deepEqual([status, json.code], [409, 'still_needed']);
  assert.match(String(json.detail), /on the machine: sudo brume org add acme LOGIN --role owner\.$/);
  const left = await call('DELETE', `${ACME}/members/anna`, { as: 'anna' });
  assert.match(String(left.json.detail), /Make somebody else an owner first\.$/);
});

test('who asks with a token learns which role it has where, also of a token that nobody made', async (t) => {
  const { state, call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner', acme: 'owner' });
  const { id: olga } = (await state.users.findUser('olga')) ?? { id: '' };
  for (const madeBy of [olga, null]) {
    const token = await tokenOf(state, madeBy);
    const { json } = await call('GET', '/v1/session', { token });
    assert.deepEqual(
      [json.name, json.userId, json.organisations],
      ['token:ci', madeBy, [{ id: 'org_default', name: 'default', role: 'admin' }]],
    );
  }
  const own = (await call('GET', '/v1/session', { as: 'olga' })).json.organisations;
  assert.deepEqual(
    (own as { name: string; role: string }[]).map(({ name, role }) => [name, role]),
    [
      ['acme', 'owner'],
      ['default', 'owner'],
    ],
  );
});

test('nobody gives a role above their own, or changes who has one; the last owner stays', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { acme: 'owner' });
  await user('anna', { acme: 'admin' });
  await user('bert', {});
  const set = (as: string, login: string, role: string) =>
    call('PUT', `${ACME}/members/${login}`, { as, body: { role } });
  assert.equal((await set('anna', 'bert', 'admin')).status, 200);
  for (const [login, role] of [
    ['bert', 'owner'],
    ['anna', 'owner'],
    ['olga', 'viewer'],
  ] as const) {
    const { status, json } = await set('anna', login, role);
    assert.deepEqual([status, json.code], [403, 'forbidden_role'], `${login} ${role}`);
  }
  assert.equal((await call('DELETE', `${ACME}/members/olga`, { as: 'anna' })).status, 403);
  for (const [method, body] of [['PUT', { role: 'admin' }], ['DELETE']] as const) {
    const last = await call(method, `${ACME}/members/olga`, { as: 'olga', body });
    assert.deepEqual([last.status, last.json.code], [409, 'still_needed'], method);
  }
  assert.equal((await set('olga', 'bert', 'owner')).status, 200);
  assert.equal((await set('olga', 'olga', 'viewer')).status, 200);
  const { json } = await call('GET', `${ACME}/members`, { as: 'olga' });
  assert.deepEqual(
    (json.items as { login: string; role: string }[]).map(({ login, role }) => [login, role]),
    [
      ['anna', 'admin'],
      ['bert', 'owner'],
      ['olga', 'viewer'],
    ],
  );
  assert.deepEqual((await set('bert', 'nobody', 'viewer')).json.code, 'unknown_user');
  assert.equal((await set('bert', 'anna', 'king')).status, 400);
});

test('users are created, listed by pages, disabled, linked and deleted', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  for (const login of ['anna', 'anton', 'bert']) {
    assert.equal((await call('POST', '/v1/users', { as: 'olga', body: { login } })).status, 201);
  }
  const logins = ({ json }: { json: Record<string, unknown> }) =>
    (json.items as { login: string }[]).map(({ login }) => login);
  const first = await call('GET', '/v1/users?limit=2', { as: 'olga' });
  assert.deepEqual(logins(first), ['anna', 'anton']);
  const second = await call('GET', `/v1/users?limit=2&after=${first.json.next}`, { as: 'olga' });
  assert.deepEqual([logins(second), second.json.next], [['bert', 'olga'], null]);
  assert.deepEqual(logins(await call('GET', '/v1/users?name=an', { as: 'olga' })), ['anna', 'anton']);
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'page=2']) {
    assert.equal((await call('GET', `/v1/users?${query}`, { as: 'olga' })).status, 400, query);
  }
  const identity = { issuer: 'https://id.example.com', subject: '42' };
  assert.equal((await call('POST', '/v1/users/anna/identities', { as: 'olga', body: identity })).status, 204);
  for (const subject of ['', 'a\u0000b', '\ud800']) {
    const body = { ...identity, subject };
    assert.equal((await call('POST', '/v1/users/anna/identities', { as: 'olga', body })).status, 400);
  }
  const path = '/v1/users/anna/identities';
  const linked = await call('GET', path, { as: 'olga' });
  assert.deepEqual(
    (linked.json.items as { createdAt: string }[]).map(({ createdAt: _, ...one }) => one),
    [identity],
  );
  const unlink = (query: Record<string, string>) =>
    call('DELETE', `${path}?${new URLSearchParams(query)}`, { as: 'olga' });
  assert.equal((await unlink({ ...identity, subject: '43' })).json.code, 'unknown_identity');
  assert.equal((await unlink({ ...identity, subject: 'a\u0000b' })).status, 400);
  assert.equal((await unlink({ issuer: identity.issuer })).status, 400);
  assert.equal((await unlink(identity)).status, 204);
  assert.deepEqual((await call('GET', path, { as: 'olga' })).json.items, []);
  const disabled = await call('PUT', '/v1/users/anna', { as: 'olga', body: { isDisabled: true } });
  assert.equal(disabled.json.isDisabled, true);
  assert.equal((await call('DELETE', '/v1/users/anna', { as: 'olga' })).status, 204);
  assert.equal((await call('GET', '/v1/users/anna', { as: 'olga' })).json.code, 'unknown_user');
});

test('a management token has a role and an end, at most those that its maker may give', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('dora', { acme: 'developer' });
  const make = (body: Record<string, unknown>) =>
    call('POST', `${ACME}/tokens`, {
      as: 'dora',
      body: { name: 'ci', role: 'developer', expiresAt: IN_A_DAY(), ...body },
    });
  const above = await make({ role: 'admin' });
  assert.deepEqual([above.status, above.json.code], [403, 'forbidden_role']);
  for (const expiresAt of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'tomorrow', null, undefined]) {
    const { status, json } = await make({ expiresAt });
    assert.deepEqual([status, json.field], [400, 'expiresAt'], String(expiresAt));
  }
  const made = await make({});
  assert.equal(made.status, 201);
  const token = String(made.json.token);
  assert.match(token, /^brume_mt_[A-Za-z0-9_-]{43}$/);
  const listed = await call('GET', `${ACME}/tokens`, { as: 'dora' });
  assert.equal(JSON.stringify(listed.json).includes(token), false);
  assert.equal((listed.json.items as unknown[]).length, 1);

  assert.equal((await call('GET', ACME, { token })).status, 200);
  const more = await call('POST', `${ACME}/tokens`, {
    token,
    body: { name: 'x', role: 'viewer', expiresAt: IN_A_DAY() },
  });
  assert.match(String(more.json.detail), /A token can't do this.*sign in for that/);
  assert.equal((await call('GET', '/v1/users', { token })).status, 403);
});

test('a token follows its maker: demoted with them, gone with them for good; revoked it is refused at the very next request', async (t) => {
  const { call, user, lines } = await startManagementPlane(t);
  await user('olga', { acme: 'owner' });
  await user('anna', { acme: 'admin' });
  const body = { name: 'ci', role: 'admin', expiresAt: IN_A_DAY() };
  const make = async () => (await call('POST', `${ACME}/tokens`, { as: 'anna', body })).json;
  let made = await make();
  let token = String(made.token);
  const create = (name: string) =>
    call('POST', '/v1/projects', { token, body: { name, organisation: 'acme' } });
  assert.equal((await create('one')).status, 201);
  assert.ok(lines.some(({ msg, author }) => msg === 'configuration changed' && author === 'token:ci'));

  const role = (to: string) => call('PUT', `${ACME}/members/anna`, { as: 'olga', body: { role: to } });
  await role('viewer');
  assert.deepEqual((await create('two')).json.code, 'forbidden_role');
  assert.equal((await call('GET', '/v1/projects/one', { token })).status, 200);
  await call('DELETE', `${ACME}/members/anna`, { as: 'olga' });
  assert.equal((await call('GET', '/v1/projects/one', { token })).status, 401);
  await role('admin');
  assert.equal((await create('three')).status, 401);
  made = await make();
  token = String(made.token);
  assert.equal((await create('three')).status, 201);

  const revoked = await call('DELETE', `${ACME}/tokens/${made.id}`, { as: 'olga' });
  assert.equal(revoked.status, 200);
  assert.notEqual(revoked.json.revokedAt, null);
  const refused = await call('GET', '/v1/projects/one', { token });
  assert.deepEqual([refused.status, refused.json.code], [401, 'unauthorized']);
  assert.equal(JSON.stringify(lines).includes(token), false);
});

test('who is no admin revokes only tokens of their own', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('dora', { acme: 'developer' });
  await user('emil', { acme: 'developer' });
  const body = { name: 'ci', role: 'viewer', expiresAt: IN_A_DAY() };
  const { json } = await call('POST', `${ACME}/tokens`, { as: 'dora', body });
  const path = `${ACME}/tokens/${json.id}`;
  assert.equal((await call('DELETE', path, { as: 'emil' })).json.code, 'forbidden_role');
  assert.equal((await call('DELETE', `${ACME}/tokens/mt_none`, { as: 'emil' })).json.code, 'unknown_token');
  assert.equal((await call('DELETE', path, { as: 'dora' })).status, 200);
});

/** Of an admin of the default organisation; null: made on the machine. */
async function tokenOf({ tokens, clock }: PlaneHarness['state'], madeBy: string | null): Promise<string> {
  const { secret, prefix, sha256 } = newManagementTokenSecret();
  const expiresAtMs = clock.nowMs() + 60_000;
  const given = { organisationId: DEFAULT_ORGANISATION_ID, name: 'ci', role: 'admin', madeBy } as const;
  await tokens.createToken({ ...given, prefix, sha256, expiresAtMs }, LOCAL);
  return secret;
}
