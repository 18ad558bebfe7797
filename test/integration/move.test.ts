import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { runBrume, startBrume } from '../support/brume-process.ts';
import { countersAvailable } from '../support/counters-available.ts';
import { limitCall } from '../support/limit-call.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const DAY_MS = 86_400_000;
const LOGIN = {
  limits: [
    { name: 'log', algorithm: 'sliding_log', limit: 50, windowMs: DAY_MS },
    { name: 'bucket', algorithm: 'token_bucket', limit: 40, windowMs: 366 * DAY_MS, burst: 40 },
  ],
  quotas: [{ name: 'ever', limit: 30, period: 'never' }],
};
/** A slow machine's Redis must not be taken for a dead one. */
const PATIENT = { BRUME_REDIS_TIMEOUT_MS: '10000' };

async function targets(test: TestContext) {
  const database = await createTestDatabase();
  test.after(() => database.drop());
  const redis = await startRedis();
  test.after(() => redis.stop());
  return { database, redis };
}

/** An installation in which user-0 … user-9 used 0 … 9; stopped. */
async function used(test: TestContext) {
  const directory = temporaryDirectory(test);
  const brume = await startBrume({}, directory);
  const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', { login: LOGIN });
  for (let cost = 0; cost < 10; cost++) {
    await limitCall(brume, key, { namespace: 'login', identifier: `user-${cost}`, cost });
  }
  return { directory, brume, key, settings: { BRUME_STATE_DIR: directory } };
}

/** Nothing of what is counted: what a new claim or a mark would be. */
async function countKeys({ client }: RedisServer): Promise<number> {
  return (await client.keys('{p*')).length;
}

describe('brume move', () => {
  it('moves everything, counts go on, and Brume no longer starts from the embedded stores', async (test) => {
    const { database, redis } = await targets(test);
    const { directory, brume, key, settings } = await used(test);
    const running = await runBrume(settings, 'move', '--to', database.url);
    assert.equal(running.exitCode, 1);
    assert.match(running.stderr, /another Brume process is using .*systemctl stop brume/);
    assert.equal(await brume.stop(), 0);

    const [toFile, redisFile] = [join(directory, 'to'), join(directory, 'redis')];
    writeFileSync(toFile, `${database.url}\n`);
    writeFileSync(redisFile, redis.url);
    const moved = await runBrume(settings, 'move', '--to-file', toFile, '--redis-file', redisFile);
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.match(
      moved.stdout,
      new RegExp(`BRUME_DATABASE_URL_FILE=${toFile}\n  BRUME_REDIS_URL_FILE=${redisFile}`),
    );
    assert.match(moved.stdout, /the counters of 9 identifiers/);
    assert.equal(moved.stdout.includes(new URL(database.url).password || 'no password'), false);
    assert.deepEqual(await redis.client.keys('{brume}*'), ['{brume}epoch']);

    const again = await runBrume(settings, 'serve');
    assert.equal(again.exitCode, 1);
    assert.match(again.stderr, /were moved to .*set BRUME_DATABASE_URL/);

    const next = await startBrume(
      { BRUME_DATABASE_URL_FILE: toFile, BRUME_REDIS_URL_FILE: redisFile, ...PATIENT },
      directory,
    );
    try {
      await countersAvailable(next);
      for (let cost = 0; cost < 10; cost++) {
        const verdict = await limitCall(next, key, {
          namespace: 'login',
          identifier: `user-${cost}`,
          cost: 0,
        });
        assert.deepEqual([verdict.success, verdict.remaining, verdict.degraded], [true, 30 - cost, false]);
      }
      assert.doesNotMatch(next.log(), /quotas were restored/);
    } finally {
      await next.stop();
    }
    // Back: the embedded stores are as they were.
    rmSync(join(directory, 'moved.json'));
    const back = await startBrume({}, directory);
    try {
      const { remaining } = await limitCall(back, key, { namespace: 'login', identifier: 'user-9', cost: 0 });
      assert.equal(remaining, 21);
    } finally {
      await back.stop();
    }
  });

  it('leaves the counters on this machine without --redis, and they go on', async (test) => {
    const { database } = await targets(test);
    const { directory, brume, key, settings } = await used(test);
    await brume.stop();
    const moved = await runBrume(settings, 'move', '--to', database.url, '--json');
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.equal(JSON.parse(moved.stdout).identifiers, null);
    const next = await startBrume({ BRUME_DATABASE_URL: database.url }, directory);
    try {
      const { remaining } = await limitCall(next, key, { namespace: 'login', identifier: 'user-9', cost: 0 });
      assert.equal(remaining, 21);
    } finally {
      await next.stop();
    }
  });

  it('refuses targets that hold something of another Brume, and changes nothing', async (test) => {
    const { database, redis } = await targets(test);
    const { brume, settings } = await used(test);
    await brume.stop();
    await redis.client.set('{p1}abcdefghijklmnopqrstuv', '1 a:f:1:1:1');
    const full = await runBrume(settings, 'move', '--to', database.url, '--redis', redis.url);
    assert.equal(full.exitCode, 1);
    assert.match(full.stderr, /holds counters of another Brume/);
    assert.deepEqual(await database.query(`select 1 from pg_tables where schemaname = 'public'`), []);
    await redis.client.flushall();

    const other = await startBrume({ BRUME_DATABASE_URL: database.url });
    await createTenant(other.settings.BRUME_ADMIN_SOCKET ?? '', 'other', { login: LOGIN });
    const live = await runBrume(settings, 'move', '--to', database.url, '--redis', redis.url);
    assert.match(live.stderr, /A node serves from this database/);
    await other.stop();
    const filled = await runBrume(settings, 'move', '--to', database.url, '--redis', redis.url);
    assert.equal(filled.exitCode, 1);
    assert.match(filled.stderr, /another Brume is configured in it/);
    assert.deepEqual(await redis.client.keys('*'), []);
    assert.equal(existsSync(join(settings.BRUME_STATE_DIR, 'moved.json')), false);
  });

  it('begins anew after it was killed anywhere: what an earlier attempt left is cleared away', async (test) => {
    const { database, redis } = await targets(test);
    const { directory, brume, settings } = await used(test);
    await brume.stop();
    const command = ['move', '--to', database.url, '--redis', redis.url];
    const first = await runBrume(settings, ...command);
    assert.equal(first.exitCode, 0, first.stderr);
    const keys = await countKeys(redis);
    const before = readFileSync(join(directory, 'brume.sqlite'));
    // As if it had ended after the commit of PostgreSQL, with more in Redis than there is now.
    rmSync(join(directory, 'moved.json'));
    const [moving] = await redis.client.mget('{brume}moving');
    assert.equal(moving, null);
    await redis.client.set('{p1}abcdefghijklmnopqrstuv', '1 a:f:1:1:1');
    const refused = await runBrume(settings, ...command);
    assert.match(refused.stderr, /counters of another Brume/);
    await redis.client.set('{brume}moving', await movingMark(directory));
    const second = await runBrume(settings, ...command);
    assert.equal(second.exitCode, 0, second.stderr);
    assert.equal(await countKeys(redis), keys);
    assert.deepEqual(readFileSync(join(directory, 'brume.sqlite')), before);
  });

  it('never shows a password', async (test) => {
    const { brume, settings } = await used(test);
    await brume.stop();
    for (const urls of [
      ['--to', 'postgres://brume:s3cret@127.0.0.1:1/brume'],
      ['--to', 'postgres://brume:s3cret@/'],
      ['--to', 'postgres://brume@127.0.0.1:1/x', '--redis', 'redis://:s3cret@127.0.0.1:1'],
    ]) {
      const { exitCode, stdout, stderr } = await runBrume(settings, 'move', ...urls);
      assert.ok(exitCode > 0);
      assert.doesNotMatch(stdout + stderr, /s3cret/);
    }
  });
});

async function movingMark(stateDir: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(stateDir, 'brume.sqlite'));
  const row = database.prepare('select identifier_secret as secret from installation').get();
  database.close();
  return createHmac('sha256', Buffer.from(String(row?.secret), 'hex'))
    .update('move')
    .digest('base64url');
}
