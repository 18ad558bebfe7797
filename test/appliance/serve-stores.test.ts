import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startRedis } from '../support/redis-server.ts';

const window = (limit: number, onStoreFailure: string) => ({
  onStoreFailure,
  limits: [{ algorithm: 'fixed_window', limit, windowMs: 600_000 }],
});

async function check(brume: BrumeProcess, key: string, namespace: string) {
  const response = await fetch(`${brume.url}/v1/limit`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ namespace, identifier: 'alice' }),
  });
  assert.equal(response.status, 200);
  const { success, degraded, reason, remaining } = (await response.json()) as Record<string, unknown>;
  return { success, degraded, reason, remaining };
}

async function readyState(brume: BrumeProcess) {
  const response = await fetch(`${brume.url}/ready`);
  return { httpStatus: response.status, ...((await response.json()) as { status: string; stores: object }) };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function start(t: TestContext, settings: Record<string, string>) {
  const brume = await startBrume(settings);
  t.after(() => brume.stop());
  return { brume, socketPath: String(brume.settings.BRUME_ADMIN_SOCKET) };
}

test('Redis away at the start: policies decide, visibly, and when Redis comes it counts', async (t) => {
  const port = await freePort();
  const { brume, socketPath } = await start(t, { BRUME_REDIS_URL: `redis://127.0.0.1:${port}` });
  const key = await createTenant(socketPath, 'shop', {
    open: window(5, 'open'),
    closed: window(5, 'closed'),
  });

  const unknown = { degraded: true, remaining: null };
  assert.deepEqual(await check(brume, key, 'open'), { success: true, reason: null, ...unknown });
  assert.deepEqual(await check(brume, key, 'closed'), {
    success: false,
    reason: 'store_unavailable',
    ...unknown,
  });
  const { httpStatus, status, stores } = await readyState(brume);
  assert.deepEqual([httpStatus, status], [200, 'degraded']);
  assert.deepEqual(stores, {
    configuration: 'available',
    counters: 'unavailable',
    countersFault: 'refused',
  });
  const warnings = brume.log().match(/the counter store gave no answer/g);
  assert.equal(warnings?.length, 2, 'one line for each namespace');
  assert.equal(brume.log().includes('alice'), false);

  const redis = await startRedis({ port });
  t.after(() => redis.stop());
  await until(async () => (await check(brume, key, 'open')).degraded === false);
  assert.equal((await check(brume, key, 'closed')).remaining, 4);
  await until(async () => (await readyState(brume)).status === 'ready');
});

test('PostgreSQL away later: verdicts go on from the snapshot, writes are 503, and nothing is lost when it comes back', async (t) => {
  const postgres = await startPostgres();
  let isRunning = true;
  const stopPostgres = async () => {
    if (isRunning) await postgres.stop();
    isRunning = false;
  };
  t.after(stopPostgres);
  const { brume, socketPath } = await start(t, {
    BRUME_DATABASE_URL: postgres.url,
    BRUME_PROPAGATION_MS: '100',
    BRUME_SQL_TIMEOUT_MS: '1000',
  });
  const key = await createTenant(socketPath, 'shop', { login: window(5, 'open') });
  assert.equal((await check(brume, key, 'login')).remaining, 4);

  await postgres.restart();
  const name = 'after-restart';
  await until(() => askAdmin(socketPath, 'POST', '/v1/projects', { name }).then(() => true, isUnavailable));
  assert.equal((await check(brume, key, 'login')).remaining, 3);

  await stopPostgres();
  await until(async () => (await readyState(brume)).status === 'degraded');
  assert.deepEqual((await readyState(brume)).stores, { configuration: 'unavailable', counters: 'available' });
  assert.equal((await readyState(brume)).httpStatus, 200);
  assert.equal((await check(brume, key, 'login')).remaining, 2);
  await assert.rejects(
    askAdmin(socketPath, 'POST', '/v1/projects', { name: 'refused' }),
    /503 .*store_unavailable/,
  );
  await assert.rejects(askAdmin(socketPath, 'GET', '/v1/projects'), /503 .*store_unavailable/);
});

/** For `until`: not yet, as long as that is the reason. */
function isUnavailable(error: Error): boolean {
  if (/store_unavailable/.test(error.message)) return false;
  throw error;
}
