import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { proveRedis } from '../../../src/stores/redis/proof/prove-redis.ts';
import { redisWarnings } from '../../../src/stores/redis/proof/redis-warnings.ts';
import { type RedisAccess, redisAddressOf } from '../../../src/stores/redis/redis-address.ts';
import { counting } from '../../support/counting-redis.ts';
import { documentedAcl } from '../../support/redis-acl.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { startSentinels } from '../../support/sentinels.ts';

const warningsAt = async (url: string, access?: RedisAccess) =>
  redisWarnings(await proveRedis({ url, access, clock: systemClock, timeoutMs: 3000 }));
const codesAt = async (url: string, access?: RedisAccess) =>
  (await warningsAt(url, access)).map(({ code }) => code);

describe('ways to a Redis', { timeout: 60_000 }, () => {
  it('a Unix socket, with a password that does not stand in the URL', async () => {
    const server = await startRedis({ args: ['--requirepass', 'p@ss:w/rd'], password: 'p@ss:w/rd' });
    try {
      await counting(server.socketUrl, { password: 'p@ss:w/rd' });
      await assert.rejects(
        proveRedis({ url: server.socketUrl, clock: systemClock, timeoutMs: 300 }),
        /NOAUTH|Authentication required/,
      );
    } finally {
      await server.stop();
    }
  });

  it('Sentinels and servers with a password each', async () => {
    const rig = await startSentinels({
      replicas: 1,
      sentinels: 1,
      password: 'servers',
      sentinelPassword: 'sentinels',
    });
    const access = {
      password: 'servers',
      sentinel: { username: undefined, password: 'sentinels', tls: 'same' },
    } as const;
    try {
      await counting(`${rig.url}/0`, access);
      assert.deepEqual(
        (await codesAt(rig.url, access)).filter((code) => !['replica_lag', 'shared_clients'].includes(code)),
        ['no_persistence', 'few_sentinels'],
      );
    } finally {
      await rig.stop();
    }
  });

  it('a cluster is proved master by master', async () => {
    const cluster = await startRedisCluster();
    try {
      const { topology, servers } = await proveRedis({
        url: cluster.url,
        clock: systemClock,
        timeoutMs: 3000,
      });
      assert.equal(topology, 'cluster');
      assert.equal(servers.length, 3);
      for (const { role, refused } of servers)
        assert.deepEqual({ role, refused }, { role: 'master', refused: [] });
      for (const { name } of cluster.masters) {
        await assert.rejects(
          proveRedis({ url: `redis://${name}`, clock: systemClock, timeoutMs: 3000 }),
          /node of a Redis Cluster.*by redis\+cluster:\/\//,
        );
      }
    } finally {
      await cluster.stop();
    }
  });

  it('slots of a cluster that nobody has are warned of, and each master without a replica', async () => {
    const cluster = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'no'] });
    try {
      const lone = cluster.masters.map(() => 'no_replica');
      const ofTopology = async () =>
        (await warningsAt(cluster.url)).filter(({ code }) => ['no_replica', 'slots_away'].includes(code));
      const whole = await ofTopology();
      assert.deepEqual(
        whole.map(({ code }) => code),
        lone,
      );
      for (const { name } of cluster.masters)
        assert.equal(whole.filter(({ text }) => text.includes(`at ${name} has no replica`)).length, 1);
      for (const { client } of cluster.servers) await client.call('CLUSTER', 'DELSLOTSRANGE', 6000, 7000);
      const [away, ...others] = await ofTopology();
      assert.equal(away?.code, 'slots_away');
      assert.match(away?.text ?? '', /the slots 6000-7000:/);
      assert.deepEqual(
        others.map(({ code }) => code),
        lone,
      );
    } finally {
      await cluster.stop();
    }
  });

  it('a right that the user lacks on one master of a cluster is a fault, and that master is named', async () => {
    const cluster = await startRedisCluster();
    const rules = documentedAcl().filter((rule) => !rule.startsWith('#'));
    const access = { username: 'brume', password: 'secret' };
    try {
      for (const { client } of cluster.masters)
        await client.call('ACL', 'SETUSER', 'brume', ...rules, '>secret');
      assert.ok(!(await codesAt(cluster.url, access)).includes('missing_rights'));
      for (const { client, name } of cluster.masters) {
        await client.call('ACL', 'SETUSER', 'brume', '-zadd');
        await assert.rejects(warningsAt(cluster.url, access), new RegExp(`at ${name} .*Missing: ZADD`));
        await client.call('ACL', 'SETUSER', 'brume', '+zadd');
      }
    } finally {
      await cluster.stop();
    }
  });

  it('a cluster that is one server is told so', async () => {
    const server = await startRedis();
    try {
      await assert.rejects(
        proveRedis({ url: server.url.replace(':', '+cluster:'), clock: systemClock, timeoutMs: 3000 }),
        /is one server and no node of a Redis Cluster.*by redis:\/\//,
      );
    } finally {
      await server.stop();
    }
  });

  it('a URL says all of it', () => {
    const { place, login, database } = redisAddressOf(
      'rediss+sentinel://ann:p%40ss@[::1]:1,sentinel-2/my.master/3',
      { tls: { ca: 'CA' }, sentinel: { username: 'bob', password: 'b', tls: 'off' } },
    );
    assert.deepEqual(place, {
      kind: 'sentinel',
      sentinels: [
        { host: '::1', port: 1 },
        { host: 'sentinel-2', port: 26_379 },
      ],
      master: 'my.master',
      sentinelLogin: { username: 'bob', password: 'b', tls: undefined },
    });
    assert.deepEqual(login, { username: 'ann', password: 'p@ss', tls: { ca: 'CA' } });
    assert.equal(database, 3);
  });
});

describe('what a Redis is proved by', { timeout: 60_000 }, () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis();
    await server.client.call(
      'ACL',
      'SETUSER',
      'brume',
      ...documentedAcl().filter((rule) => !rule.startsWith('#')),
    );
    await server.client.call('ACL', 'SETUSER', 'brume', '>secret');
  });
  after(() => server?.stop());
  const asBrume = { username: 'brume', password: 'secret' };

  it('the documented ACL is enough to count, and for the proof itself', async () => {
    await counting(server.url, asBrume);
    assert.ok(!(await codesAt(server.url, asBrume)).includes('missing_rights'));
  });

  it('a right that is missing is named', async () => {
    await server.client.call(
      'ACL',
      'SETUSER',
      'poor',
      ...documentedAcl().filter((rule) => !rule.startsWith('#')),
    );
    await server.client.call(
      'ACL',
      'SETUSER',
      'poor',
      '>secret',
      '-zadd',
      '-evalsha',
      'resetkeys',
      '~{brume}*',
    );
    const poor = { username: 'poor', password: 'secret' };
    await assert.rejects(warningsAt(server.url, poor), /Missing: EVALSHA, ZADD, ~\{p\*\./);
  });

  it('each right that checks need is a fault where it is missing; one without which less is known is a warning', async () => {
    const rules = documentedAcl().filter((rule) => !rule.startsWith('#'));
    const rights = { username: 'one-less', password: 'secret' };
    const without = async (right: string) => {
      await server.client.call('ACL', 'SETUSER', rights.username, 'reset', ...rules, '>secret', `-${right}`);
    };
    for (const right of ['del', 'hset', 'zadd', 'eval']) {
      await without(right);
      await assert.rejects(warningsAt(server.url, rights), new RegExp(`Missing:.* ${right}\\b`, 'i'));
    }
    await without('info');
    const { text = '' } =
      (await warningsAt(server.url, rights)).find(({ code }) => code === 'missing_rights') ?? {};
    assert.match(text, /Missing: INFO\./);
  });

  it('a user who may not ask whether snapshots are written is told so, where there is no append-only file', async () => {
    const codes = await codesAt(server.url, asBrume);
    assert.ok(codes.includes('persistence_unknown'));
    assert.ok(!codes.includes('no_persistence'));
    await server.client.config('SET', 'appendonly', 'yes');
    assert.ok(!(await codesAt(server.url, asBrume)).includes('persistence_unknown'));
    await server.client.config('SET', 'appendonly', 'no');
  });

  it('memory that is nearly full is warned of', async () => {
    // So much that what a connection takes is nothing to it.
    await server.client.setrange('{brume}ballast', 64 * 1024 * 1024, '.');
    const used = Number(/used_memory:(\d+)/.exec(await server.client.info('memory'))?.[1]);
    await server.client.config('SET', 'maxmemory', String(used * 4));
    assert.ok(!(await codesAt(server.url)).includes('memory_nearly_full'));
    await server.client.config('SET', 'maxmemory', String(Math.round(used * 1.05)));
    assert.ok((await codesAt(server.url)).includes('memory_nearly_full'));
    await server.client.config('SET', 'maxmemory', '0');
    await server.client.del('{brume}ballast');
  });

  it('every command that a script calls is tried, and is in the documented ACL', () => {
    const directory = join(import.meta.dirname, '../../../lua');
    const read = (name: string) => readFileSync(join(directory, name), 'utf8');
    const called = new Set(
      readdirSync(directory).flatMap((name) =>
        [...read(name).matchAll(/redis\.p?call\('([A-Z]+)'/g)].map(([, command]) => String(command)),
      ),
    );
    const tried = [...read('rights.lua').matchAll(/try\('([A-Z]+)'/g)].map(([, command]) => command);
    assert.deepEqual(
      [...called].filter((command) => !tried.includes(command)),
      [],
    );
    const acl = documentedAcl();
    assert.deepEqual(
      [...called].filter((command) => !acl.includes(`+${command.toLowerCase()}`)),
      [],
    );
  });

  it('others in the same Redis, eviction, and nothing on disk are warned of; a Redis of its own is not', async () => {
    const lonely = await startRedis({ args: ['--appendonly', 'yes'] });
    try {
      // The one that the test looks with.
      await lonely.client.client('SETNAME', 'brume');
      assert.deepEqual(await codesAt(lonely.url), []);
      await lonely.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await lonely.client.config('SET', 'appendonly', 'no');
      await lonely.client.set('session:7', '');
      await lonely.client.select(1);
      await lonely.client.set('x', '');
      await lonely.client.client('SETNAME', 'shop');
      assert.deepEqual(await codesAt(lonely.url), [
        'eviction_policy',
        'no_persistence',
        'shared_keys',
        'shared_databases',
        'shared_clients',
      ]);
    } finally {
      await lonely.stop();
    }
  });

  it('a replica that is behind and a clock that is apart are warned of', () => {
    const place = '127.0.0.1:1';
    const facts = {
      version: 'Redis 7',
      role: 'master',
      isClusterNode: false,
      place,
      clockAheadMs: -2500,
      answerMs: 0.4,
      refused: [],
      memory: { usedBytes: 1, maxBytes: 0, policy: 'noeviction' },
      persistence: { isAppendOnly: true, save: '' },
      replicas: [
        { place: 'a:1', state: 'online', lagSeconds: 1, behindBytes: 10 },
        { place: 'b:1', state: 'online', lagSeconds: 9, behindBytes: 10 },
        { place: 'c:1', state: 'wait_bgsave', lagSeconds: 0, behindBytes: 0 },
      ],
      foreignKeys: [],
      otherDatabases: [],
      otherClients: [],
    };
    const warnings = redisWarnings({ topology: 'single', servers: [facts], slotsAway: '', sentinels: [] });
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['replica_lag', 'replica_lag', 'clock_apart'],
    );
    assert.match(warnings.map(({ text }) => text).join(), /b:1 is 9 s.*c:1 is wait_bgsave.*2\.5 s behind/);
  });
});
