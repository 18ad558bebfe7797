import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { routeAccess } from '../../../src/planes/management/route-access.ts';

async function withRoute(route: Record<string, unknown>): Promise<void> {
  const app = fastify();
  await app.register(routeAccess);
  app.route({ method: 'GET', url: '/x', handler: async () => 'x', ...route });
  await app.close();
}

test('a route that does not state its access, its time-out and its schema stops the start', async () => {
  const schema = { response: {} };
  await withRoute({ config: { isPublic: false, role: 'viewer', timeoutMs: 1000 }, schema });
  await withRoute({ config: { isPublic: true, timeoutMs: 1000 }, schema });
  await assert.rejects(withRoute({ schema }), /must state/);
  await assert.rejects(withRoute({ config: { isPublic: false, timeoutMs: 1000 }, schema }), /must state/);
  await assert.rejects(withRoute({ config: { isPublic: false, role: 'viewer' }, schema }), /must state/);
  await assert.rejects(
    withRoute({ config: { isPublic: false, role: 'viewer', timeoutMs: 1000 } }),
    /must state/,
  );
});
