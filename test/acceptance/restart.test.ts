import { deepEqual, equal } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type Settings, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const RULE = { limits: [{ algorithm: 'gcra', limit: 5, windowMs: 3_600_000, burst: 3 }] };

describe('a restart', () => {
  let database: TestDatabase;
  let directory: string;

  before(async () => {
    database = await createTestDatabase();
    directory = await mkdtemp(join(tmpdir(), 'brume-restart-'));
  });

  after(async () => {
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  async function keepsKeysAndNamespaces(settings: Settings, signal: NodeJS.Signals): Promise<void> {
    const first = await startBrume(settings, directory);
    const key = await createTenant(first.settings.BRUME_ADMIN_SOCKET ?? '', `shop-${signal.toLowerCase()}`, {
      api: RULE,
    });
    const exitCode = await first.stop(signal);
    equal(exitCode, signal === 'SIGKILL' ? null : 0);

    const second = await startBrume(settings, directory);
    try {
      const { status, body } = await call(`${second.url}/v1/peek`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ namespace: 'api', identifier: 'alice' }),
      });
      const { success, limits } = JSON.parse(body);
      deepEqual([status, success, limits[0].quota, limits[0].windowMs], [200, true, 5, 3_600_000]);
    } finally {
      await second.stop();
    }
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`keeps keys and namespaces in the embedded database after ${signal}`, () =>
      keepsKeysAndNamespaces({}, signal));

    it(`keeps keys and namespaces in PostgreSQL after ${signal}`, () =>
      keepsKeysAndNamespaces({ BRUME_DATABASE_URL: database.url }, signal));
  }
});
