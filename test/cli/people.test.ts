import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeBrume } from './fake-brume.ts';

const USER = {
  id: 'usr_1',
  login: 'anna',
  hasPassword: false,
  isDisabled: false,
  createdAt: '2026-07-01T12:00:00.000Z',
  updatedAt: '2026-07-01T12:00:00.000Z',
};
const INVITATION = {
  login: 'anna',
  url: 'https://brume.example.org/invitation#brume_in_x',
  token: 'brume_in_x',
  expiresAt: '2026-07-02T12:00:00.000Z',
};

test('user invite makes the user, the membership and the link, and shows how to accept it', async (t) => {
  const { calls, run } = await fakeBrume(t, ({ url, method }) =>
    url.pathname.endsWith('/invitations')
      ? [201, INVITATION]
      : [method === 'POST' ? 201 : 200, { ...USER, userId: 'usr_1', role: 'owner' }],
  );
  const { exitCode, stdout } = await run(['user', 'invite', 'anna', '--role', 'owner']);
  assert.equal(exitCode, 0);
  assert.deepEqual(
    calls.map(({ method, url, body }) => [method, url.pathname, body]),
    [
      ['POST', '/v1/users', { login: 'anna' }],
      ['PUT', '/v1/organisations/default/members/anna', { role: 'owner' }],
      ['POST', '/v1/users/anna/invitations', undefined],
    ],
  );
  assert.ok(stdout.includes('https://brume.example.org/invitation#brume_in_x'));
  assert.match(
    stdout,
    /^curl .* -d @- https:\/\/brume\.example\.org\/v1\/invitations\/accept <<'END'\n\{"token":"brume_in_x".*\}\nEND$/m,
  );
});

test('user invite of somebody who is there already only makes the link', async (t) => {
  const { calls, run } = await fakeBrume(t, ({ url }) =>
    url.pathname === '/v1/users' ? [409, { code: 'conflict', title: 'There.' }] : [201, INVITATION],
  );
  assert.equal((await run(['user', 'invite', 'anna'])).exitCode, 0);
  assert.equal(calls.length, 2);
});

test('user invite stops at any other refusal, and wants a role with an organisation', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [403, { code: 'forbidden_role', title: 'No.' }]);
  assert.equal((await run(['user', 'invite', 'anna', '--role', 'owner'])).exitCode, 1);
  assert.equal(calls.length, 1);
  const { exitCode, stderr } = await run(['user', 'invite', 'anna', '--organisation', 'shop']);
  assert.equal(exitCode, 2);
  assert.match(stderr, /needs --role/);
  assert.equal((await run(['user', 'invite', 'anna', '--role', 'king'])).exitCode, 2);
  assert.equal(calls.length, 1);
});

test('a list of many pages is shown whole', async (t) => {
  const { run } = await fakeBrume(t, ({ url }) => {
    const after = url.searchParams.get('after');
    return after === null
      ? [200, { items: [USER], next: 'p2' }]
      : [200, { items: [{ ...USER, login: 'bert', isDisabled: true }], next: null }];
  });
  const { stdout } = await run(['user', 'list']);
  assert.match(stdout, /anna +usr_1 +no password/);
  assert.match(stdout, /bert +usr_1 +disabled/);
});

test('users and organisations are deleted only after a yes', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [204, undefined]);
  for (const command of [
    ['user', 'delete', 'anna'],
    ['org', 'delete', 'shop'],
  ]) {
    assert.equal((await run(command)).exitCode, 2);
    assert.equal((await run(command, { answer: 'n' })).exitCode, 1);
    assert.equal((await run([...command, '--yes'])).exitCode, 0);
  }
  assert.deepEqual(
    calls.map(({ method, url }) => `${method} ${url.pathname}`),
    ['DELETE /v1/users/anna', 'DELETE /v1/organisations/shop'],
  );
});

test('token create needs a role and an end, and shows the token', async (t) => {
  const token = {
    ...USER,
    name: 'ci',
    role: 'viewer',
    expiresAt: '2026-08-01T12:00:00.000Z',
    token: 'brume_mt_x',
  };
  const { calls, run } = await fakeBrume(t, () => [201, token]);
  assert.equal((await run(['token', 'create', 'shop', 'ci', '--role', 'viewer'])).exitCode, 2);
  assert.equal((await run(['token', 'create', 'shop', 'ci', '--expires-in', '1d'])).exitCode, 2);
  const { stdout } = await run(['token', 'create', 'shop', 'ci', '--role', 'viewer', '--expires-in', '1d']);
  assert.ok(stdout.endsWith('\nbrume_mt_x'));
  assert.equal(calls.length, 1);
});

test('a link to a provider is shown, and ended by issuer and subject, however they are written', async (t) => {
  const identity = {
    issuer: 'https://id.example.org/realms/staff?a=b&c',
    subject: "o'hara #1",
    createdAt: '2026-07-01T12:00:00.000Z',
  };
  const { calls, run } = await fakeBrume(t, ({ method }) =>
    method === 'GET' ? [200, { items: [identity] }] : [204, undefined],
  );
  const listed = await run(['user', 'identities', 'anna']);
  assert.equal(listed.exitCode, 0);
  assert.match(listed.stdout, /https:\/\/id\.example\.org\/realms\/staff\?a=b&c +o'hara #1 /);
  const { issuer, subject } = identity;
  const command = ['user', 'unlink', 'anna', '--issuer', issuer, '--subject', subject];
  assert.equal((await run(command)).exitCode, 0);
  const [, { method = '', url = undefined } = {}] = calls;
  assert.deepEqual([method, url?.pathname], ['DELETE', '/v1/users/anna/identities']);
  assert.deepEqual([url?.searchParams.get('issuer'), url?.searchParams.get('subject')], [issuer, subject]);
  assert.equal((await run(['user', 'unlink', 'anna', '--issuer', issuer])).exitCode, 2);
});
