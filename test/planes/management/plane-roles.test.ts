import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { planeRoutes } from '../../../scripts/docs/plane-routes.ts';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { localPrincipal } from '../../../src/tenancy/principal.ts';
import { isAtLeast, ROLES } from '../../../src/tenancy/role.ts';
import { startManagementPlane } from './plane-harness.ts';

const LOCAL = { name: 'local:test', address: null, requestId: null };
const ROUTES = (await planeRoutes()).management;
const NAMES: Readonly<Record<string, string>> = { project: 'shop', organisation: 'acme' };
/** What would be refused for want of a role, or to a stranger. */
const REFUSALS = ['unauthorized', 'forbidden_role', 'unknown_project', 'unknown_organisation'];

/** A store that finds what is there and changes nothing. */
function readOnly<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (/^(list|find|organisationsOf|roleOf|export|diff)/.test(String(name))) return method.bind(target);
      return async () => {
        throw new BrumeError('conflict');
      };
    },
  });
}

/** What the route's declaration says that this caller is told; undefined: whatever the handler says. */
function refusalOf({ config = {} }: RouteOptions, caller: string): [number, string] | undefined {
  const { role: least, within } = config;
  if (least === undefined || within === undefined || caller === 'local') return undefined;
  if (caller === 'nobody') return [401, 'unauthorized'];
  if (within === 'own') return undefined;
  if (caller === 'stranger') {
    if (within === 'installation') return [403, 'forbidden_role'];
    return [404, within === 'project' ? 'unknown_project' : 'unknown_organisation'];
  }
  const role = ROLES.find((one) => caller === one);
  return role !== undefined && isAtLeast(role, least) ? undefined : [403, 'forbidden_role'];
}

test('each route lets through who has the role that it declares, and tells everybody else no more than they may know', async (t) => {
  const plane = await startManagementPlane(t, {
    replace: (state) => ({
      tenancy: readOnly(state.tenancy),
      policy: readOnly(state.policy),
      exceptions: readOnly(state.exceptions),
      rules: readOnly(state.rules),
      organisations: readOnly(state.organisations),
      users: readOnly(state.users),
      tokens: readOnly(state.tokens),
      tiers: readOnly(state.tiers),
      identify: async ({ headers }) => {
        const caller = String(headers['x-test-user']);
        if (caller === 'nobody') return undefined;
        if (caller === 'local') return localPrincipal(LOCAL);
        const user = await state.users.findUser(caller);
        if (user === undefined) throw new Error(`no user ${caller}`);
        return {
          ...localPrincipal(LOCAL),
          isLocal: false,
          userId: user.id,
          roleIn: (organisationId) => state.organisations.roleOf(organisationId, user.id),
          organisations: async () =>
            new Set((await state.organisations.organisationsOf(user.id)).map(({ id }) => id)),
        };
      },
    }),
  });
  // An organisation whose every role is also one in the default organisation, and one of a stranger's.
  for (const role of [...ROLES].reverse()) await plane.user(role, { acme: role, default: role });
  await plane.user('stranger', { other: 'owner' });
  const acme = await plane.state.organisations.findOrganisation('acme');
  await plane.state.tenancy.createProject({ name: 'shop', organisationId: acme?.id ?? '' }, LOCAL);

  const callers = [...ROLES, 'stranger', 'nobody', 'local'];
  let asked = 0;
  for (const route of ROUTES) {
    const path = route.url.replaceAll(/:([a-z]+)/g, (_, name: string) => NAMES[name] ?? 'none');
    const body = route.config?.organisationInBody === true ? { name: 'x', organisation: 'acme' } : undefined;
    for (const caller of callers) {
      const method = String(route.method);
      const answer = await plane.call(method, path, { as: caller, body });
      const what = `${caller}: ${method} ${route.url}: ${answer.status} ${answer.body.slice(0, 200)}`;
      const refusal = refusalOf(route, caller);
      asked++;
      if (method === 'HEAD') {
        if (refusal !== undefined) assert.equal(answer.status, refusal[0], what);
        else assert.ok(answer.status !== 401 && answer.status !== 403, what);
      } else if (refusal !== undefined) assert.deepEqual([answer.status, answer.json.code], refusal, what);
      else assert.ok(!REFUSALS.includes(String(answer.json.code)) && answer.status < 500, what);
    }
  }
  assert.ok(asked > 700, String(asked));
});

test('a member who is removed, demoted or disabled is refused at the very next request', async (t) => {
  const { call, user, state } = await startManagementPlane(t);
  await user('olga', { acme: 'owner' });
  await user('anna', { acme: 'admin' });
  const acme = '/v1/organisations/acme';
  const create = (name: string) =>
    call('POST', '/v1/projects', { as: 'anna', body: { name, organisation: 'acme' } });
  assert.equal((await create('one')).status, 201);

  await call('PUT', `${acme}/members/anna`, { as: 'olga', body: { role: 'viewer' } });
  const demoted = await create('two');
  assert.deepEqual([demoted.status, demoted.json.code], [403, 'forbidden_role']);
  assert.match(String(demoted.json.detail), /needs the role admin; yours is viewer/);
  assert.equal((await call('GET', '/v1/projects/one', { as: 'anna' })).status, 200);

  assert.equal((await call('DELETE', `${acme}/members/anna`, { as: 'olga' })).status, 204);
  const removed = await call('GET', '/v1/projects/one', { as: 'anna' });
  assert.deepEqual([removed.status, removed.json.code], [404, 'unknown_project']);
  assert.deepEqual((await call('GET', '/v1/projects', { as: 'anna' })).json.items, []);
  assert.equal((await call('GET', acme, { as: 'anna' })).status, 404);

  await call('PUT', `${acme}/members/anna`, { as: 'olga', body: { role: 'viewer' } });
  assert.equal((await call('GET', '/v1/projects/one', { as: 'anna' })).status, 200);
  const anna = await state.users.findUser('anna');
  await state.users.disableUser(anna?.id ?? '', true, LOCAL);
  assert.equal((await call('GET', '/v1/projects/one', { as: 'anna' })).status, 404);
});

test('whoever lists projects and organisations sees those of their own', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('anna', { acme: 'admin', both: 'admin' });
  await user('bert', { other: 'admin', both: 'viewer' });
  for (const [as, organisation] of [
    ['anna', 'acme'],
    ['anna', 'both'],
    ['bert', 'other'],
  ]) {
    await call('POST', '/v1/projects', { as, body: { name: `of-${organisation}`, organisation } });
  }
  const names = async (as: string, path: string) =>
    ((await call('GET', path, { as })).json.items as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(await names('anna', '/v1/projects'), ['of-acme', 'of-both']);
  assert.deepEqual(await names('bert', '/v1/projects'), ['of-both', 'of-other']);
  assert.deepEqual(await names('bert', '/v1/organisations'), ['both', 'other']);
  assert.deepEqual(await names('anna', '/v1/projects?organisation=both'), ['of-both']);
  // Neither says which organisations there are.
  assert.deepEqual(await names('anna', '/v1/projects?organisation=other'), []);
  assert.deepEqual(await names('anna', '/v1/projects?organisation=none'), []);
  const denied = await call('POST', '/v1/projects', {
    as: 'anna',
    body: { name: 'x', organisation: 'other' },
  });
  const none = await call('POST', '/v1/projects', { as: 'anna', body: { name: 'x', organisation: 'none' } });
  assert.deepEqual(denied.json, none.json);
  assert.equal(none.json.code, 'unknown_organisation');
});
