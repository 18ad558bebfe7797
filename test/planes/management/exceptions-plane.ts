import type { TestContext } from 'node:test';
import { MemoryExceptions } from '../../support/memory-exceptions.ts';
import { startAdminPlane, window } from '../admin/admin-harness.ts';

export const NAMESPACE = '/v1/projects/shop/namespaces/login';
const NOW_MS = Date.parse('2026-07-01T12:00:00Z');

/** The admin plane with the project `shop` and its namespace `login`, exceptions in memory, and time that stands. */
export async function plane(t: TestContext, kind = 'text') {
  const time = { nowMs: NOW_MS };
  const store = new MemoryExceptions(() => time.nowMs);
  const announced: unknown[] = [];
  const harness = await startAdminPlane(t, ({ clock, limiter }) => ({
    exceptions: store,
    clock: { ...clock, nowMs: () => time.nowMs },
    limiter: {
      ...limiter,
      announce: async (namespace, identifier, revision) => {
        announced.push([namespace.name, identifier, revision]);
      },
    },
  }));
  const { call } = harness;
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  await call('POST', '/v1/projects/shop/namespaces', { body: { name: 'login', rule: window(5, { kind }) } });
  return { ...harness, store, time, announced };
}
