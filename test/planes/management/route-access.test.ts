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
  const stated = { isPublic: false, role: 'viewer', within: 'project', timeoutMs: 1000 };
  await withRoute({ config: stated, schema });
  await withRoute({ config: { isPublic: true, timeoutMs: 1000 }, schema });
  await withRoute({ config: { isPublic: false, guard: 'a token of its own', timeoutMs: 1000 }, schema });
  await assert.rejects(withRoute({ schema }), /must state/);
  await assert.rejects(withRoute({ config: stated }), /must state/);
  for (const missing of ['isPublic', 'role', 'within', 'timeoutMs']) {
    const config = Object.fromEntries(Object.entries(stated).filter(([name]) => name !== missing));
    await assert.rejects(withRoute({ config, schema }), /must state/, missing);
  }
});
