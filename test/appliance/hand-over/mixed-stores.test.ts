import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '../../support/postgres.ts';
import { startRedis } from '../../support/redis-server.ts';
import { SharedSockets } from '../../support/shared-sockets.ts';
import { Caller, startLoad } from './calls.ts';

async function database(t: TestContext): Promise<string> {
  const made = await createTestDatabase();
  t.after(() => made.drop());
  return made.url;
}

async function redis(t: TestContext): Promise<string> {
  const server = await startRedis();
  t.after(() => server.stop());
  return server.url;
}

/** Three processes, one after the other, while callers use the limit up. */
async function assertNothingLost(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
): Promise<SharedSockets> {
  // Of a machine that is busy, too, an answer must count.
  const shared = await SharedSockets.open(t, { ...settings, BRUME_REDIS_TIMEOUT_MS: '5000' });
  const first = await shared.start();
  const caller = await Caller.of(shared, { login: 100_000 });
  const load = startLoad(caller, { callers: 4, namespace: 'login', identifier: () => 'alice' });
  t.after(() => load.stop());
  const second = await shared.start();
  const areBothShared = settings.BRUME_DATABASE_URL !== undefined && settings.BRUME_REDIS_URL !== undefined;
  // As brume@.service does.
  if (areBothShared) first.kill('SIGTERM');
  assert.equal(await first.ended, 0, first.log());
  await shared.start();
  if (areBothShared) second.kill('SIGTERM');
  assert.equal(await second.ended, 0, second.log());
  const { admitted, faults } = await load.stop();
  assert.deepEqual(faults, []);
  assert.equal(await caller.used('login', 'alice'), admitted.get('alice'));
  return shared;
}

test('Redis and an embedded configuration: what is in this process is handed over', async (t) => {
  await assertNothingLost(t, { BRUME_REDIS_URL: await redis(t) });
});

test('PostgreSQL and embedded counters: they are handed over, and the node is one all the while', async (t) => {
  await assertNothingLost(t, { BRUME_DATABASE_URL: await database(t) });
});

test('Redis and PostgreSQL: both processes serve, and nothing is handed over', async (t) => {
  const shared = await assertNothingLost(t, {
    BRUME_REDIS_URL: await redis(t),
    BRUME_DATABASE_URL: await database(t),
  });
  assert.equal(existsSync(join(shared.stateDir, 'hand-over.sock')), false);
});
