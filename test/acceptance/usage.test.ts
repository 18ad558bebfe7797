import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type Settings, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const RULE = { limits: [{ algorithm: 'fixed_window', limit: 20, windowMs: 3_600_000 }] };
const PLACES = {
  limits: [{ name: 'places', algorithm: 'concurrency', limit: 1, ttlMs: 3_600_000 }],
};

interface Row {
  readonly namespace: string | null;
  readonly keyName: string | null;
  readonly allowed: number;
  readonly denied: number;
  readonly degraded: number;
  readonly cost: number;
}

describe('usage', () => {
  let database: TestDatabase;
  let directory: string;

  before(async () => {
    database = await createTestDatabase();
    directory = await mkdtemp(join(tmpdir(), 'brume-usage-'));
  });
  after(async () => {
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  /** So rarely that only the stop can have written it. */
  async function countsEveryWay(settings: Settings, project: string): Promise<void> {
    const all = { ...settings, BRUME_USAGE_WRITE_MS: '600000' };
    const first = await startBrume(all, directory);
    let exitCode: number | null = null;
    try {
      const socket = first.settings.BRUME_ADMIN_SOCKET ?? '';
      const key = await createTenant(socket, project, { api: RULE, exports: PLACES });
      const ask = (path: string, body: object) =>
        call(first.url + path, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        });
      const check = { namespace: 'api', identifier: 'alice' };
      const statuses = [
        await ask('/v1/limit', { ...check, cost: 5 }),
        await ask('/v1/limit', { ...check, cost: 2, requestId: 'once' }),
        await ask('/v1/limit', { ...check, cost: 2, requestId: 'once' }),
        await ask('/v1/limit', { ...check, cost: 100 }),
        await ask('/v1/peek', check),
        await ask('/v1/limit/batch', { checks: [check, check, { ...check, cost: 50 }] }),
        await ask('/v1/limit/batch', { checks: [check, { ...check, cost: 50 }], atomic: true }),
        await ask('/v1/reservations', { ...check, cost: 4 }),
        await ask('/v1/leases', { namespace: 'exports', identifier: 'alice' }),
        await ask('/v1/leases', { namespace: 'exports', identifier: 'alice' }),
        await call(`${first.url}/v1/auth/forward/api`, {
          method: 'GET',
          headers: { 'X-Brume-Key': key, 'X-Forwarded-For': '203.0.113.9' },
        }),
      ].map(({ status }) => status);
      assert.deepEqual(new Set(statuses), new Set([200]));
      await first.json('limit', project, 'api', 'bob', '--cost', '3');
    } finally {
      exitCode = await first.stop();
    }
    assert.equal(exitCode, 0);

    const second = await startBrume(all, directory);
    try {
      const rows = async (...options: string[]) => {
        const { items } = (await second.json('usage', project, '--last', '2h', ...options)) as {
          items: Row[];
        };
        return items;
      };
      const total = (items: Row[], of: (row: Row) => boolean) =>
        items.filter(of).reduce(
          (sum, { allowed, denied, degraded, cost }) => ({
            allowed: sum.allowed + allowed,
            denied: sum.denied + denied,
            degraded: sum.degraded + degraded,
            cost: sum.cost + cost,
          }),
          { allowed: 0, denied: 0, degraded: 0, cost: 0 },
        );
      for (const step of ['hour', 'day']) {
        const byKey = await rows('--by', 'key', '--step', step);
        const withKey = total(byKey, ({ keyName }) => keyName === 'test');
        assert.deepEqual(withKey, {
          allowed: 7,
          denied: 5,
          degraded: 0,
          cost: 15,
        });
        const without = total(byKey, ({ keyName }) => keyName === null);
        assert.deepEqual(without, { allowed: 1, denied: 0, degraded: 0, cost: 3 });
        const places = total(
          await rows('--by', 'namespace', '--step', step),
          ({ namespace }) => namespace === 'exports',
        );
        assert.deepEqual(places, { allowed: 1, denied: 1, degraded: 0, cost: 1 });
      }
    } finally {
      await second.stop();
    }
  }

  it('counts what each key and namespace asked in every way, and keeps it over a restart: embedded', () =>
    countsEveryWay({}, 'shop'));

  it('counts what each key and namespace asked in every way, and keeps it over a restart: PostgreSQL', () =>
    countsEveryWay({ BRUME_DATABASE_URL: database.url }, 'shop'));
});
