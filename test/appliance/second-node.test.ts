import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type BrumeProcess,
  launchBrume,
  runBrume,
  type Settings,
  startBrume,
} from '../support/brume-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function started(t: TestContext, settings: Settings): Promise<BrumeProcess> {
  const brume = await startBrume(settings);
  t.after(() => brume.stop());
  return brume;
}

/** Runs `serve`, which must refuse to start; gives its reason. */
async function refusal(t: TestContext, settings: Settings): Promise<string> {
  const home = temporaryDirectory(t);
  const { exitCode, stdout } = await runBrume(
    {
      BRUME_LISTEN: '127.0.0.1:0',
      BRUME_MANAGEMENT_LISTEN: 'off',
      BRUME_ADMIN_SOCKET: join(home, 'admin.sock'),
      BRUME_STATE_DIR: home,
      ...settings,
    },
    'serve',
  );
  assert.equal(exitCode, 1, stdout);
  const { level, msg } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  assert.equal(level, 'fatal');
  return String(msg);
}

async function database(t: TestContext) {
  const made = await createTestDatabase();
  t.after(() => made.drop());
  return made;
}

async function redis(t: TestContext) {
  const server = await startRedis();
  t.after(() => server.stop());
  return server;
}

test('PostgreSQL alone: a second live node refuses to start, names the first, and leaves nothing behind', async (t) => {
  const { url, query } = await database(t);
  const first = await started(t, { BRUME_DATABASE_URL: url });
  const reason = await refusal(t, { BRUME_DATABASE_URL: url });
  assert.match(reason, /^Brume can't start: BRUME_DATABASE_URL: another live node uses this database/);
  assert.match(
    reason,
    new RegExp(`process ${first.pid} on .*both count in their own memory.*BRUME_REDIS_URL`),
  );
  assert.deepEqual(await query('select pid::int as pid, counters from nodes'), [
    { pid: first.pid, counters: 'embedded' },
  ]);
  const { url: redisUrl } = await redis(t);
  assert.match(
    await refusal(t, { BRUME_DATABASE_URL: url, BRUME_REDIS_URL: redisUrl }),
    /it counts in its own memory/,
  );

  await first.stop();
  assert.deepEqual(await query('select pid from nodes'), []);
  await started(t, { BRUME_DATABASE_URL: url });
});

test('PostgreSQL alone: after a kill the next start is not held up', async (t) => {
  const { url, query } = await database(t);
  const killed = await started(t, { BRUME_DATABASE_URL: url });
  await killed.stop('SIGKILL');
  assert.equal((await query('select pid from nodes')).length, 1);
  const next = await started(t, { BRUME_DATABASE_URL: url });
  assert.deepEqual(await query('select pid::int as pid from nodes'), [{ pid: next.pid }]);
});

test('PostgreSQL and Redis: nodes with both start beside each other, one that counts in memory does not', async (t) => {
  const both = { BRUME_DATABASE_URL: (await database(t)).url, BRUME_REDIS_URL: (await redis(t)).url };
  await started(t, both);
  await started(t, both);
  const reason = await refusal(t, { BRUME_DATABASE_URL: both.BRUME_DATABASE_URL });
  assert.match(reason, /this one would count in its own memory/);
});

test('PostgreSQL and Redis, both empty: nodes that start at once take none of each other for another installation', async (t) => {
  const both = { BRUME_DATABASE_URL: (await database(t)).url, BRUME_REDIS_URL: (await redis(t)).url };
  const launched = await Promise.all(Array.from({ length: 4 }, () => launchBrume(both)));
  for (const brume of launched) t.after(() => brume.stop());
  await Promise.all(launched.map((brume) => brume.ready()));
});

test('Redis in use: a fresh start on an empty database is refused before it writes anything', async (t) => {
  const { url, query } = await database(t);
  const { url: redisUrl } = await redis(t);
  const first = await started(t, { BRUME_REDIS_URL: redisUrl });
  const reason = await refusal(t, { BRUME_DATABASE_URL: url, BRUME_REDIS_URL: redisUrl });
  assert.match(reason, /another live installation counts in this Redis/);
  assert.deepEqual(await query('select 1 from pg_tables where schemaname = current_schema()'), []);
  assert.equal(await first.stop(), 0);
  await started(t, { BRUME_DATABASE_URL: url, BRUME_REDIS_URL: redisUrl });
});

test('Redis alone: a second installation refuses to start until the first has stopped', async (t) => {
  const { url, client } = await redis(t);
  const first = await started(t, { BRUME_REDIS_URL: url });
  const reason = await refusal(t, { BRUME_REDIS_URL: url });
  assert.match(reason, /^Brume can't start: BRUME_REDIS_URL: another live installation counts in this Redis/);
  assert.match(reason, new RegExp(`process ${first.pid} on .*BRUME_DATABASE_URL`));
  await first.stop();
  assert.equal(await client.exists('{brume}owner'), 0);
  await started(t, { BRUME_REDIS_URL: url });
});
