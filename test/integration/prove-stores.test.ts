import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runBrume, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { startRelay } from '../support/relay.ts';
import { waitFor } from '../support/wait-for.ts';

interface Proof {
  readonly setting: string;
  readonly isUsable: boolean;
  readonly fault: string | null;
  readonly warnings: readonly { readonly code: string }[];
}

const NO_PERSISTENCE = /writes nothing to disk/g;

describe('brume check-config --connect', { timeout: 180_000 }, () => {
  let redis: RedisServer;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis?.stop());

  it('shows what the stores are and what is amiss, and ends with 0', async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const settings = { BRUME_REDIS_URL: redis.url, BRUME_DATABASE_URL: database.url };
    const { exitCode, stdout } = await runBrume(settings, 'check-config', '--connect');
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /BRUME_REDIS_URL: connected\n +topology +one server\n +server +(Redis|Valkey) [\d.]+, master/,
    );
    assert.match(stdout, /BRUME_DATABASE_URL: connected\n +server +PostgreSQL [\d.]+.*, primary, /);
    assert.match(stdout, /\d+ migrations to apply/);
    assert.match(stdout, NO_PERSISTENCE);
  });

  it('ends with 1 if a store can not be used, and says why, without a password', async () => {
    const settings = { BRUME_REDIS_URL: `redis://:hunter2@127.0.0.1:${await freePort()}` };
    const { exitCode, stdout } = await runBrume(settings, 'check-config', '--connect', '--json');
    assert.equal(exitCode, 1);
    assert.ok(!stdout.includes('hunter2'));
    const { valid, stores } = JSON.parse(stdout) as { valid: boolean; stores: readonly Proof[] };
    assert.equal(valid, true);
    assert.deepEqual(
      stores.map(({ setting, isUsable }) => ({ setting, isUsable })),
      [{ setting: 'BRUME_REDIS_URL', isUsable: false }],
    );
    assert.match(stores[0]?.fault ?? '', /ECONNREFUSED/);
  });

  it('ends with 1 if Redis refuses to count, with what to do behind it', async (t) => {
    const own = await startRedis();
    t.after(() => own.stop());
    const settings = { BRUME_REDIS_URL: own.url };
    await own.client.config('SET', 'min-replicas-to-write', '1');
    const { exitCode, stdout } = await runBrume(settings, 'check-config', '--connect');
    assert.equal(exitCode, 1);
    assert.match(stdout, /BRUME_REDIS_URL: can't be used: .*NOREPLICAS.*\n {2}Bring the replicas back/);
    await own.client.config('SET', 'min-replicas-to-write', '0');
    assert.equal((await runBrume(settings, 'check-config', '--connect')).exitCode, 0);
  });

  it('warns of a Redis that answers later than a check waits, which serve tells as such', async (t) => {
    // The claim of the node that is started here would keep others out of the common one.
    const own = await startRedis();
    t.after(() => own.stop());
    const relay = await startRelay(Number(new URL(own.url).port), { delayMs: 80 });
    t.after(() => relay.stop());
    const settings = { BRUME_REDIS_URL: `redis://127.0.0.1:${relay.port}`, BRUME_REDIS_TIMEOUT_MS: '50' };
    const { exitCode, stdout } = await runBrume(settings, 'check-config', '--connect');
    assert.equal(exitCode, 0);
    assert.match(stdout, /Warning: Redis at .* takes \d+ ms at best.*BRUME_REDIS_TIMEOUT_MS is 50/);
    const brume = await startBrume(settings);
    t.after(() => brume.stop());
    await waitFor('the line in the log', () =>
      brume
        .log()
        .split('\n')
        .some(
          (line) => line.includes(`"server":"127.0.0.1:${relay.port}"`) && line.includes('"kind":"slow"'),
        ),
    );
  });

  it('ends with 1 if the user of Redis lacks a right that checks need, and doctor says which', async () => {
    await redis.client.call('ACL', 'SETUSER', 'poor', 'on', '>secret', '~*', '+@all', '-zadd', '-del');
    const url = new URL(redis.url);
    Object.assign(url, { username: 'poor', password: 'secret' });
    const settings = { BRUME_REDIS_URL: String(url) };
    const { exitCode, stdout } = await runBrume(settings, 'check-config', '--connect');
    assert.equal(exitCode, 1);
    assert.match(stdout, /BRUME_REDIS_URL: can't be used: .* Missing: DEL, ZADD\./);
    const doctor = await runBrume(settings, 'doctor');
    assert.equal(doctor.exitCode, 1);
    assert.match(doctor.stdout, /Missing: DEL, ZADD\..*Give the user what brume help redis-server lists/s);
  });

  it('a node of a cluster behind redis:// is a fault, and serve warns of it: it would count some of the slots', async () => {
    const cluster = await startRedisCluster();
    try {
      const told = /node of a Redis Cluster.*redis\+cluster:\/\//;
      for (const { name } of cluster.masters) {
        const settings = { BRUME_REDIS_URL: `redis://${name}` };
        const { exitCode, stdout } = await runBrume(settings, 'check-config', '--connect');
        assert.equal(exitCode, 1);
        assert.match(stdout, told);
        const brume = await startBrume(settings);
        try {
          while (!told.test(brume.log())) await new Promise((resolve) => setTimeout(resolve, 20));
        } finally {
          await brume.stop();
        }
      }
    } finally {
      await cluster.stop();
    }
  });

  it('B35: serve logs the same warnings, once', async () => {
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const brume = await startBrume({ BRUME_REDIS_URL: redis.url });
    try {
      // Of the policy the watch of the memory warns, which looks again and again.
      const warned = /"policy":"allkeys-lru".*Redis may evict counters/;
      while (!NO_PERSISTENCE.test(brume.log()) || !warned.test(brume.log()))
        await new Promise((resolve) => setTimeout(resolve, 20));
      await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      while (brume.log().match(/Redis connected/g)?.length !== 2)
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(brume.log().match(NO_PERSISTENCE)?.length, 1);
    } finally {
      await brume.stop();
    }
  });
});
