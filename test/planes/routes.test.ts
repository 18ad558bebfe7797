import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { DATA_WORDS } from '../../scripts/docs/openapi/data-words.ts';
import { MANAGEMENT_WORDS } from '../../scripts/docs/openapi/management-words.ts';
import { dataDocument, managementDocument } from '../../scripts/docs/openapi/plane-documents.ts';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';
import { rolesPage } from '../../scripts/docs/roles-page.ts';
import { CATALOGUE } from '../../src/errors/catalogue.ts';
import { REALMS } from '../../src/planes/management/route-access.ts';
import { SCOPES } from '../../src/tenancy/api-key.ts';
import { ROLES } from '../../src/tenancy/role.ts';

const ROUTES = await planeRoutes();

/** Keys of words: methods that are many stand as ANY, and HEAD is GET without its body. */
function callsOf(routes: readonly RouteOptions[]): string[] {
  return routes
    .filter(({ method, url }) => method !== 'HEAD' && !url.endsWith('/*'))
    .map(({ method, url }) => `${[method].flat().length > 10 ? 'ANY' : String(method)} ${url}`);
}

function shipped(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

for (const [plane, routes] of Object.entries(ROUTES)) {
  test(`every route of the ${plane} plane states its schema with its refusals, its time-out and who may call it`, () => {
    assert.ok(routes.length > 10);
    for (const { method, url, schema, config } of routes) {
      const call = `${String(method).slice(0, 20)} ${url}`;
      assert.ok(config !== undefined, call);
      assert.equal(typeof config.isPublic, 'boolean', call);
      assert.ok(Number.isSafeInteger(config.timeoutMs) && Number(config.timeoutMs) > 0, call);
      const response = Object(schema).response ?? {};
      assert.ok(response['4xx'] !== undefined, `${call} must state a schema for 4xx`);
      const isCallable = config.isPublic
        ? config.role === undefined && config.guard === undefined && (config.scope ?? null) === null
        : isRestricted(plane, config);
      assert.ok(isCallable, `${call} must state who may call it`);
    }
  });
}

function isRestricted(
  plane: string,
  { role, within, guard, scope }: NonNullable<RouteOptions['config']>,
): boolean {
  if (plane === 'data') return scope !== undefined && scope !== null && SCOPES.includes(scope);
  if (guard !== undefined) return role === undefined;
  return role !== undefined && ROLES.includes(role) && within !== undefined && REALMS.includes(within);
}

test('a route within a project or an organisation has it in its path or its body', () => {
  for (const { url, config } of ROUTES.management) {
    if (config?.within === 'project') assert.match(url, /\/:project(\/|$)/);
    if (config?.within === 'organisation' && config.organisationInBody !== true) {
      assert.match(url, /\/:organisation(\/|$)/);
    }
  }
});

test('the admin socket has the same management routes as the plane, but for those of people who sign in', () => {
  const admin = new Set(callsOf(ROUTES.admin));
  const missing = callsOf(ROUTES.management).filter((call) => !admin.has(call));
  assert.ok(
    missing.every((call) => /\/(sessions?|invitation($|\/)|invitations\/accept|docs|openapi)/.test(call)),
    String(missing),
  );
  assert.deepEqual(
    [...admin].filter((call) => !callsOf(ROUTES.management).includes(call)),
    [],
  );
});

test('documents and routes say the same: each call has its words, and no other has', async () => {
  assert.deepEqual(callsOf(ROUTES.management).sort(), Object.keys(MANAGEMENT_WORDS).sort());
  assert.deepEqual(callsOf(ROUTES.data).sort(), Object.keys(DATA_WORDS).sort());
  assert.equal(shipped('openapi.json'), await managementDocument(ROUTES), 'run npm run docs');
  assert.equal(shipped('openapi-data.json'), await dataDocument(ROUTES), 'run npm run docs');
  assert.equal(shipped('roles.md'), rolesPage(ROUTES), 'run npm run docs');
});

test('the codes of problems in both documents are those of the catalogue', () => {
  for (const name of ['openapi.json', 'openapi-data.json']) {
    const { components } = JSON.parse(shipped(name));
    assert.deepEqual(components.schemas.Problem.properties.code.enum, Object.keys(CATALOGUE), name);
  }
});

test('every operation has an id of its own, a summary, a problem for its refusals and, with a body, an example', () => {
  for (const name of ['openapi.json', 'openapi-data.json']) {
    const { openapi, paths } = JSON.parse(shipped(name));
    assert.match(openapi, /^3\.1\./);
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, operation]) => ({
        call: `${method} ${path}`,
        operation: Object(operation),
      })),
    );
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { call, operation } of operations) {
      assert.ok(typeof operation.summary === 'string' && operation.summary !== '', call);
      const problem = operation.responses['4XX'].content['application/problem+json'].schema;
      assert.deepEqual(problem, { $ref: '#/components/schemas/Problem' }, call);
      const body = operation.requestBody?.content['application/json'];
      if (operation.requestBody !== undefined)
        assert.ok(body.example !== undefined, `${call} has no example`);
    }
  }
});
