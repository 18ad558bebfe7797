import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { countersAvailable } from '../support/counters-available.ts';
import { call } from '../support/http-call.ts';
import { limitCall } from '../support/limit-call.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { type ShutGate, startGate } from '../support/shut-gate.ts';

/** So long that a test meets the window's edge for an instant once a year. */
const YEAR_MS = 366 * 24 * 3_600_000;

const LOCAL = { onStoreFailure: 'local', identifyBy: 'key' };
const RULES = {
  policy: { ...LOCAL, limits: [{ algorithm: 'sliding_log', limit: 10, windowMs: YEAR_MS }] },
  again: { ...LOCAL, limits: [{ algorithm: 'sliding_log', limit: 10, windowMs: YEAR_MS }] },
  hundred: {
    ...LOCAL,
    limits: [{ algorithm: 'fixed_window', limit: 100, windowMs: YEAR_MS }],
  },
  places: { ...LOCAL, limits: [{ algorithm: 'concurrency', limit: 2, ttlMs: 60_000 }] },
};

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + 30_000; !(await condition()); ) {
    if (performance.now() > endMs) throw new Error('it did not come to pass');
    await delay(20);
  }
}

describe('onStoreFailure local', () => {
  let redis: RedisServer;
  let gate: ShutGate;
  let database: TestDatabase;
  let nodes: [BrumeProcess, BrumeProcess];
  let key: string;

  before(async () => {
    redis = await startRedis();
    gate = await startGate(Number(new URL(redis.url).port));
    database = await createTestDatabase();
    const settings = {
      BRUME_REDIS_URL: `redis://127.0.0.1:${gate.port}`,
      BRUME_DATABASE_URL: database.url,
      // Two cores serve all of this: a slow answer must not be taken for a dead Redis.
      BRUME_REDIS_TIMEOUT_MS: '10000',
    };
    const first = await startBrume(settings);
    key = await createTenant(first.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
    nodes = [first, first];
    await countersAvailable(first);
  });

  after(async () => {
    for (const node of new Set(nodes ?? [])) await node.stop();
    await gate?.shut();
    await redis?.stop();
    await database?.drop();
  });

  const countersOf = async ({ url }: BrumeProcess) =>
    JSON.parse((await call(`${url}/ready`)).body).stores?.counters;

  async function shut(): Promise<void> {
    await gate.shut();
    for (const node of new Set(nodes)) await until(async () => (await countersOf(node)) === 'unavailable');
  }

  async function open(): Promise<void> {
    await gate.open();
    for (const node of new Set(nodes)) {
      await countersAvailable(node);
      await limitCall(node, key, { namespace: 'policy', identifier: randomUUID() });
    }
  }

  /** Asks alternately on two routes of the application, which have one policy. */
  async function askRoutes(namespace: string): Promise<{ statuses: number[]; degraded: unknown[] }> {
    const statuses: number[] = [];
    const degraded: unknown[] = [];
    for (let n = 0; n < 10; n++) {
      for (const route of ['cart', 'search']) {
        const { status, headers } = await call(`${nodes[0].url}/v1/auth/forward/${namespace}/${route}`, {
          headers: { 'X-Brume-Key': key },
        });
        statuses.push(status);
        degraded.push(headers['x-brume-ratelimit-degraded']);
      }
    }
    return { statuses, degraded };
  }

  const ADMITTED = [...Array(10).fill(200), ...Array(10).fill(429)];

  it('B11: one policy on two routes admits 10 of 10 and 10, with Redis and, by this node, without', async () => {
    const up = await askRoutes('policy');
    assert.deepEqual(up.statuses, ADMITTED);
    assert.deepEqual(new Set(up.degraded), new Set([undefined]));
    await shut();
    const down = await askRoutes('again');
    assert.deepEqual(down.statuses, ADMITTED);
    assert.deepEqual(new Set(down.degraded), new Set(['true']));
    assert.deepEqual((await askRoutes('policy')).statuses, Array(20).fill(429), 'what was used stays used');
    await open();
  });

  it('of 100, 60 are used, 30 pass without Redis, and when it is back exactly 10 more', async () => {
    const [node] = nodes;
    const ask = async (count: number) => {
      const verdicts = [];
      for (let n = 0; n < count; n++)
        verdicts.push(await limitCall(node, key, { namespace: 'hundred', identifier: 'alice' }));
      return verdicts;
    };
    await ask(60);
    await shut();
    const alone = await ask(30);
    assert.ok(alone.every(({ success, degraded }) => success && degraded));
    assert.deepEqual([alone.at(-1)?.limit, alone.at(-1)?.remaining], [100, 10]);
    await open();
    const back = await ask(50);
    assert.equal(back.filter(({ success }) => success).length, 10);
    assert.ok(back.every(({ degraded }) => degraded === false));
    await until(async () => node.log().includes('has been merged'));
    assert.match(node.log(), /judges by its share of the limits/);
  });

  it('a place is given without Redis, and is a lease there when it is back', async () => {
    const [node] = nodes;
    const lease = async (method: string, path: string) => {
      const body =
        method === 'POST' ? JSON.stringify({ namespace: 'places', identifier: 'alice' }) : undefined;
      const headers = { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
      const answer = await call(`${node.url}/v1/leases${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      return { status: answer.status, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
    };
    await shut();
    const [first, second, third] = [
      await lease('POST', ''),
      await lease('POST', ''),
      await lease('POST', ''),
    ];
    assert.deepEqual(
      [first, second, third].map(({ body }) => [body.success, body.degraded, body.lease !== null]),
      [
        [true, true, true],
        [true, true, true],
        [false, true, false],
      ],
    );
    assert.equal((await lease('PUT', `/${first.body.lease.id}`)).status, 200);
    assert.equal((await lease('DELETE', `/${second.body.lease.id}`)).status, 204);
    await open();
    await until(async () => (await lease('PUT', `/${first.body.lease.id}`)).status === 200);
    const fourth = await lease('POST', '');
    assert.deepEqual(
      [fourth.body.success, fourth.body.degraded, fourth.body.limits[0].remaining],
      [true, false, 0],
    );
  });

  it('two nodes have half of a limit each', async () => {
    const [first] = nodes;
    const second = await startBrume({
      ...Object.fromEntries(
        ['BRUME_REDIS_URL', 'BRUME_DATABASE_URL', 'BRUME_REDIS_TIMEOUT_MS'].map((name) => [
          name,
          first.settings[name] ?? '',
        ]),
      ),
    });
    nodes = [first, second];
    await countersAvailable(second);
    await shut();
    const admitted = async (node: BrumeProcess) => {
      const identifier = randomUUID();
      const verdicts = [];
      for (let n = 0; n < 12; n++)
        verdicts.push(await limitCall(node, key, { namespace: 'policy', identifier }));
      return verdicts.filter(({ success }) => success).length;
    };
    // The first one learns of the other with its next sign of life.
    await until(async () => (await admitted(first)) === 5);
    await until(async () => (await admitted(second)) === 5);
  });
});
