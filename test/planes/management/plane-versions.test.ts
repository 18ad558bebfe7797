import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planeRoutes } from '../../../scripts/docs/plane-routes.ts';
import { type PlaneHarness, startManagementPlane } from './plane-harness.ts';

const LIMITS = [{ name: 'minute', algorithm: 'fixed_window', limit: 5, windowMs: 60_000 }];
const RULE = { limits: LIMITS };

async function withThings(plane: PlaneHarness): Promise<[path: string, body: unknown][]> {
  const { call, user } = plane;
  await user('olga', { default: 'owner' });
  const post = async (path: string, body: unknown) => {
    const answer = await call('POST', path, { as: 'olga', body });
    assert.equal(answer.status, 201, answer.body);
    return String(answer.headers.location);
  };
  const project = await post('/v1/projects', { name: 'shop' });
  const namespace = await post(`${project}/namespaces`, { name: 'login', rule: RULE });
  const block = await post(`${namespace}/blocks`, { match: 'alice' });
  const override = await post(`${namespace}/overrides`, { match: 'bob', limits: [{ limit: 9 }] });
  const tier = await post('/v1/tiers', { name: 'free', callsPerDay: 10 });
  return [
    [namespace, { rule: { limits: [{ ...LIMITS[0], limit: 6 }] } }],
    [block, { reason: 'changed' }],
    [override, { limits: [{ limit: 8 }] }],
    [tier, { name: 'free', callsPerDay: 11 }],
    ['/v1/organisations/default', { name: 'default' }],
    [await post('/v1/users', { login: 'ulla' }), { isDisabled: false }],
  ];
}

test('a write takes the version that it expects: an older one is 412 and changes nothing', async (t) => {
  const plane = await startManagementPlane(t);
  const { call } = plane;
  for (const [path, body] of await withThings(plane)) {
    const before = await call('GET', path, { as: 'olga' });
    const etag = String(before.headers.etag);
    assert.match(etag, /^"\d+"$/, path);
    const put = (ifMatch: string) =>
      call('PUT', path, { as: 'olga', body, headers: { 'if-match': ifMatch } });

    const written = await put(etag);
    assert.equal(written.status, 200, `${path} ${written.body}`);
    assert.notEqual(written.headers.etag, etag, path);
    const afterwards = await call('GET', path, { as: 'olga' });
    assert.equal(afterwards.headers.etag, written.headers.etag, path);

    for (const stale of [etag, '"999999"', 'W/"1"', '"anything"']) {
      const lost = await put(stale);
      assert.deepEqual([lost.status, lost.json.code], [412, 'precondition_failed'], `${path} ${stale}`);
    }
    for (const none of ['""x', 'a b', '"1", "2"']) {
      const refused = await put(none);
      assert.deepEqual([refused.status, refused.json.field], [400, 'If-Match'], `${path} ${none}`);
    }
    assert.deepEqual((await call('GET', path, { as: 'olga' })).json, afterwards.json, path);
    assert.equal((await put('*')).status, 200, path);

    if (path.endsWith('/default')) continue; // it is there for ever
    const removed = await call('DELETE', path, { as: 'olga', headers: { 'if-match': etag } });
    assert.equal(removed.status, 412, path);
    assert.equal((await call('GET', path, { as: 'olga' })).status, 200, path);
  }
});

test('of writers that expect the same version exactly one succeeds', async (t) => {
  const plane = await startManagementPlane(t);
  const { call } = plane;
  for (const [path, body] of await withThings(plane)) {
    const etag = String((await call('GET', path, { as: 'olga' })).headers.etag);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('PUT', path, { as: 'olga', body, headers: { 'if-match': etag } })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 412)], path);
  }
});

test('a project has a version of its own: its tier takes part in it, and so does its deletion', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await call('POST', '/v1/tiers', { as: 'olga', body: { name: 'free', callsPerDay: 10 } });
  const created = await call('POST', '/v1/projects', { as: 'olga', body: { name: 'shop' } });
  const etag = String(created.headers.etag);
  const tier = (ifMatch: string) =>
    call('PUT', '/v1/projects/shop/tier', {
      as: 'olga',
      body: { tier: 'free' },
      headers: { 'if-match': ifMatch },
    });
  const given = await tier(etag);
  assert.equal(given.status, 200);
  assert.notEqual(given.json.tierId, null);
  assert.equal((await tier(etag)).status, 412);
  assert.equal((await call('DELETE', '/v1/tiers/free', { as: 'olga' })).json.code, 'still_needed');
  const removed = (ifMatch: string) =>
    call('DELETE', '/v1/projects/shop', { as: 'olga', headers: { 'if-match': ifMatch } });
  assert.equal((await removed(etag)).status, 412);
  assert.equal((await removed(String(given.headers.etag))).status, 204);
  assert.equal((await call('DELETE', '/v1/tiers/free', { as: 'olga' })).status, 204);
});

test('a membership that has changed since it was read is neither changed nor ended', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { acme: 'owner' });
  await user('bert', {});
  const path = '/v1/organisations/acme/members/bert';
  const put = (role: string, ifMatch?: string) =>
    call('PUT', path, { as: 'olga', body: { role }, headers: ifMatch ? { 'if-match': ifMatch } : {} });
  assert.equal((await put('viewer', '"1"')).status, 412, 'bert is no member yet');
  const added = await put('viewer');
  const etag = String(added.headers.etag);
  assert.equal(etag, `"${added.json.version}"`);
  assert.equal((await put('developer', etag)).status, 200);
  assert.equal((await put('admin', etag)).status, 412);
  const remove = (ifMatch: string) => call('DELETE', path, { as: 'olga', headers: { 'if-match': ifMatch } });
  assert.equal((await remove(etag)).status, 412);
  const { json } = await call('GET', '/v1/organisations/acme/members', { as: 'olga' });
  const [bert] = json.items as { login: string; role: string; version: number }[];
  assert.deepEqual([bert?.login, bert?.role], ['bert', 'developer']);
  assert.equal((await remove(`"${bert?.version}"`)).status, 204);
});

test('a write that has no version to compare If-Match with refuses it, and passes over it nowhere', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner', acme: 'owner' });
  await call('POST', '/v1/projects', { as: 'olga', body: { name: 'shop' } });
  const versioned: string[] = [];
  for (const { method, url, config } of (await planeRoutes()).management) {
    if (method === 'GET' || method === 'HEAD') continue;
    if (config?.isVersioned === true) {
      versioned.push(`${method} ${url}`);
      continue;
    }
    const path = url.replace(':project', 'shop').replace(':organisation', 'acme').replaceAll(/:\w+/g, 'x');
    const refused = await call(String(method), path, { as: 'olga', headers: { 'if-match': '"1"' } });
    const { code, field } = JSON.parse(refused.body);
    assert.deepEqual([refused.status, code, field], [400, 'bad_request', 'If-Match'], `${method} ${url}`);
  }
  // Whatever is changed or removed, and can be changed by two at once.
  const compared = (kind: RegExp) => versioned.filter((call) => kind.test(call)).length;
  assert.equal(compared(/^(PUT|DELETE) .*\/(users|members)\/:user$/), 4);
  assert.equal(compared(/^(PUT|DELETE) .*\/(blocks|exemptions|overrides)\/:exception$/), 6);
  assert.equal(compared(/^(PUT|DELETE) .*\/:(organisation|namespace|tier)$/), 6);
  assert.equal(compared(/^DELETE .*\/:project$|^PUT .*\/:project\/(tier|rules)$|\/roll-?back$/), 4);
  assert.equal(versioned.length, 20, versioned.join('\n'));
});
