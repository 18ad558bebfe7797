import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, type Settings, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const CHECKPOINT_MS = 300;
/** A day that began half a day ago, so that no test meets its end. */
const TIME = `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`;
const DAY = { name: 'day', limit: 10, period: 'day', timeZone: 'UTC', anchor: { time: TIME } };
const NEVER = { name: 'all', limit: 50, period: 'never' };

interface Tenant {
  readonly key: string;
  readonly identifier: string;
}

async function ask(
  node: BrumeProcess,
  { key, identifier }: Tenant,
  call: 'limit' | 'peek' | 'reset',
  namespace = 'day',
) {
  const answer = await fetch(`${node.url}/v1/${call}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ namespace, identifier }),
  });
  const text = await answer.text();
  const { success, remaining, degraded }: { success?: boolean; remaining?: number; degraded?: boolean } =
    text === '' ? {} : JSON.parse(text);
  return { status: answer.status, success, remaining, degraded };
}

/** How many of so many checks, over the nodes in turn, passed. */
async function passed(nodes: readonly BrumeProcess[], tenant: Tenant, count: number, namespace = 'day') {
  let admitted = 0;
  for (let index = 0; index < count; index++) {
    const node = nodes[index % nodes.length];
    assert.ok(node !== undefined);
    const { success, degraded } = await ask(node, tenant, 'limit', namespace);
    assert.equal(degraded, false);
    if (success === true) admitted++;
  }
  return admitted;
}

async function createTenantThatResets(
  socketPath: string,
  namespaces: Record<string, object>,
): Promise<string> {
  await createTenant(socketPath, 'shop', namespaces);
  const made = await askAdmin(socketPath, 'POST', '/v1/projects/shop/keys', {
    name: 'all',
    kind: 'service',
    scopes: ['limit', 'peek', 'reset'],
  });
  return (made as { key: string }).key;
}

async function until(condition: () => Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  for (const endMs = Date.now() + timeoutMs; Date.now() < endMs; await delay(20)) {
    if (await condition()) return;
  }
  throw new Error(`it did not come true in time: ${condition}`);
}

describe('quotas on Redis and PostgreSQL', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let nodes: BrumeProcess[] = [];
  let key: string;
  let tenant: Tenant;
  let startedMs: number;

  before(async () => {
    redis = await startRedis({ port: await freePort() });
    database = await createTestDatabase();
    nodes = [await start(), await start()];
    const socketPath = first().settings.BRUME_ADMIN_SOCKET ?? '';
    const namespaces = { day: { quotas: [DAY] }, never: { quotas: [NEVER] } };
    key = await createTenantThatResets(socketPath, namespaces);
  });

  beforeEach(async () => {
    tenant = { key, identifier: randomUUID() };
    startedMs = Date.now();
    const answers = () => Promise.all(nodes.map((node) => ask(node, tenant, 'peek')));
    await until(async () => (await answers()).every(({ degraded }) => degraded === false));
    // From now on a loss is a loss.
    await until(async () => /^\S+ \S+$/.test((await redis.client.get('{brume}epoch')) ?? ''));
  });

  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await redis?.stop();
    await database?.drop();
  });

  function start(): Promise<BrumeProcess> {
    return startBrume({
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      BRUME_QUOTA_CHECKPOINT_MS: String(CHECKPOINT_MS),
      BRUME_PROPAGATION_MS: '100',
      // Two cores serve all of this: a slow answer must not be taken for a dead Redis.
      BRUME_REDIS_TIMEOUT_MS: '5000',
    });
  }

  function first(): BrumeProcess {
    const [node] = nodes;
    assert.ok(node !== undefined);
    return node;
  }

  function restoredCount(): number {
    return nodes.flatMap((node) => [...node.log().matchAll(/quotas were restored from their checkpoints/g)])
      .length;
  }

  /** Of this test's identifier, whose name the database doesn't know. */
  async function isCheckpointed(used: number): Promise<boolean> {
    const statement = 'select 1 from quota_checkpoints where used = $1 and updated_at >= $2';
    return (await database.query(statement, [used, startedMs])).length > 0;
  }

  it('after 7 of 10 in a day and FLUSHALL the count is back, and 3 more pass', async () => {
    assert.equal(await passed(nodes.slice(0, 1), tenant, 7), 7);
    await until(() => isCheckpointed(7));
    await redis.client.flushall();
    await until(async () => (await ask(first(), tenant, 'peek')).remaining === 3);
    assert.equal(await passed(nodes, tenant, 6), 3);
    assert.ok(restoredCount() > 0);
  });

  it('with two nodes, what neither had written yet is back too, as long as they live', async () => {
    assert.equal(await passed(nodes, tenant, 7), 7);
    await redis.client.flushall();
    await until(async () => (await ask(first(), tenant, 'peek')).remaining === 3);
    await delay(CHECKPOINT_MS * 3);
    assert.equal(await passed(nodes, tenant, 6), 3);
  });

  it('B26: 50 that never renew are 50, through a restart of Redis with nothing on disk and of Brume', async () => {
    assert.equal(await passed(nodes, tenant, 30, 'never'), 30);
    await until(() => isCheckpointed(30));
    const port = Number(new URL(redis.url).port);
    await redis.stop();
    redis = await startRedis({ port });
    await until(async () => (await ask(first(), tenant, 'peek', 'never')).remaining === 20);
    assert.equal(await passed(nodes, tenant, 10, 'never'), 10);
    await Promise.all(nodes.map((node) => node.stop()));
    nodes = [await start()];
    await until(async () => (await ask(first(), tenant, 'peek', 'never')).degraded === false);
    assert.equal(await passed(nodes, tenant, 20, 'never'), 10);
  });

  it('a reset is not undone by restoring', async () => {
    assert.equal(await passed(nodes, tenant, 7), 7);
    assert.equal((await ask(first(), tenant, 'reset')).status, 204);
    assert.equal(await passed(nodes, tenant, 2), 2);
    await until(() => isCheckpointed(2));
    await redis.client.flushall();
    await until(async () => (await ask(first(), tenant, 'peek')).remaining === 8);
    await delay(CHECKPOINT_MS * 3);
    assert.equal((await ask(first(), tenant, 'peek')).remaining, 8);
  });

  it('a quota whose calendar was changed is not given what was used by the old one', async () => {
    assert.equal(await passed(nodes, tenant, 7), 7);
    await until(() => isCheckpointed(7));
    const rule = { quotas: [{ ...DAY, timeZone: 'Asia/Kolkata' }] };
    await askAdmin(first().settings.BRUME_ADMIN_SOCKET ?? '', 'PUT', '/v1/projects/shop/namespaces/day', {
      rule,
    });
    await until(async () => (await ask(first(), tenant, 'peek')).remaining === 10);
    const restored = restoredCount();
    await redis.client.flushall();
    await until(async () => restoredCount() > restored);
    assert.equal((await ask(first(), tenant, 'peek')).remaining, 10);
  });
});

describe('quotas while PostgreSQL is away', () => {
  it('checks are not affected, a reset is 503 and resets nothing, and what was counted is written later', async (t) => {
    const database = await createTestDatabase();
    const redis = await startRedis();
    const brume = await startBrume({
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      BRUME_QUOTA_CHECKPOINT_MS: String(CHECKPOINT_MS),
      BRUME_REDIS_TIMEOUT_MS: '5000',
      BRUME_SQL_TIMEOUT_MS: '500',
    });
    t.after(async () => {
      await brume.stop();
      await redis.stop();
      await database.drop();
    });
    const socketPath = brume.settings.BRUME_ADMIN_SOCKET ?? '';
    const key = await createTenantThatResets(socketPath, { day: { quotas: [DAY] } });
    const tenant = { key, identifier: 'alice' };
    assert.equal(await passed([brume], tenant, 2), 2);

    await database.query('alter table quota_checkpoints rename to elsewhere');
    assert.equal(await passed([brume], tenant, 5), 5);
    await until(async () => /checkpoints of quotas can not be written/.test(brume.log()));
    assert.equal((await ask(brume, tenant, 'reset')).status, 503);
    assert.equal((await ask(brume, tenant, 'peek')).remaining, 3);

    await database.query('alter table elsewhere rename to quota_checkpoints');
    const used = async () => (await database.query('select used from quota_checkpoints'))[0]?.used;
    await until(async () => String(await used()) === '7');
    assert.match(brume.log(), /checkpoints of quotas are written again/);
  });
});

describe('quotas on embedded stores', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'brume-quotas-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const settings: Settings = { BRUME_QUOTA_CHECKPOINT_MS: '60000' };

  it('B26: 50 that never renew are 50, of 60 requests with a restart in between', async () => {
    const brume = await startBrume(settings, directory);
    const namespaces = { never: { quotas: [NEVER] } };
    let key = '';
    let before: number;
    try {
      key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', namespaces);
      before = await passed([brume], { key, identifier: 'alice' }, 30, 'never');
    } finally {
      await brume.stop();
    }
    const restarted = await startBrume(settings, directory);
    try {
      assert.equal(before + (await passed([restarted], { key, identifier: 'alice' }, 30, 'never')), 50);
    } finally {
      await restarted.stop();
    }
  });
});
