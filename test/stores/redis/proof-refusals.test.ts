import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { systemClock } from '../../../src/limiter/clock.ts';
import { RedisFault } from '../../../src/stores/redis/advice/redis-fault.ts';
import { proveRedis } from '../../../src/stores/redis/proof/prove-redis.ts';
import { redisWarnings } from '../../../src/stores/redis/proof/redis-warnings.ts';
import type { RedisAccess } from '../../../src/stores/redis/redis-address.ts';
import { UnfitRedis } from '../../../src/stores/redis/unfit-redis.ts';
import { freePort } from '../../support/free-port.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { type RedisServerOptions, startRedis } from '../../support/redis-server.ts';
import { startRelay } from '../../support/relay.ts';
import { startSentinels } from '../../support/sentinels.ts';
import { waitFor } from '../../support/wait-for.ts';

const BUSY = ['--busy-reply-threshold', '20'];

function prove(url: string, access?: RedisAccess) {
  return proveRedis({ url, access, clock: systemClock, timeoutMs: 1000 });
}

async function faultAt(url: string, access?: RedisAccess): Promise<RedisFault> {
  const error = await prove(url, access).catch((reason: unknown) => reason);
  assert.ok(error instanceof RedisFault, `${url}: ${error}`);
  return error;
}

async function redisFor(t: TestContext, options?: RedisServerOptions) {
  const server = await startRedis(options);
  t.after(() => server.stop());
  return { ...server, place: new URL(server.url).host };
}

describe('a Redis that answers and refuses to count is a fault, which is named with what to do', {
  timeout: 60_000,
}, () => {
  it('by each of its errors', async (t) => {
    const { client, url, place } = await redisFor(t);
    for (const [setting, bad, good, said, remedy] of [
      ['min-replicas-to-write', '1', '0', /too few replicas.*NOREPLICAS/, /Bring the replicas back/],
      ['maxmemory', '1', '0', /out of memory.*OOM/, /Raise maxmemory/],
    ] as const) {
      await client.config('SET', setting, bad);
      const fault = await faultAt(url);
      assert.ok(fault instanceof UnfitRedis);
      assert.equal(fault.code, 'refuses');
      assert.ok(fault.said.startsWith(`The Redis at ${place} refuses`), fault.said);
      assert.match(fault.said, said);
      assert.match(fault.remedy ?? '', remedy);
      await client.config('SET', setting, good);
    }
    await prove(url);
  });

  it('whose file can not be written', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'brume-gone-'));
    const { client, url } = await redisFor(t, { args: ['--enable-protected-configs', 'yes'] });
    // A directory that is gone is to Redis what a full disk is.
    await client.config('SET', 'dir', directory);
    await client.config('SET', 'save', '3600 1');
    rmSync(directory, { recursive: true });
    await client.bgsave();
    await waitFor('a file that is not written', async () =>
      (await client.info('persistence')).includes('last_bgsave_status:err'),
    );
    const { said, remedy } = await faultAt(url);
    assert.match(said, /can not write its file.*MISCONF/);
    assert.match(remedy ?? '', /^Free the disk/);
  });

  it('where it holds what writes, and answers all else', async (t) => {
    const { client, url } = await redisFor(t);
    await client.client('PAUSE', 20_000, 'WRITE');
    const fault = await faultAt(url);
    assert.match(fault.said, /answers what reads, and gave no answer/);
    assert.match(fault.remedy ?? '', /client unpause/);
    await client.client('UNPAUSE');
    await prove(url);
  });

  it('where a script keeps it busy', async (t) => {
    const { client, url } = await redisFor(t, { args: BUSY });
    const other = new Redis(url);
    t.after(() => other.disconnect());
    const script = other.eval('while true do end', 0).catch(() => undefined);
    const { said, remedy } = await faultAt(url);
    assert.match(said, /BUSY/);
    assert.match(remedy ?? '', /redis-cli script kill/);
    await client.script('KILL');
    await script;
  });

  it('by one master of a cluster, which is named', async (t) => {
    const cluster = await startRedisCluster();
    t.after(() => cluster.stop());
    const [, poor] = cluster.masters;
    assert.ok(poor !== undefined);
    await poor.client.config('SET', 'maxmemory', '1mb');
    assert.match((await faultAt(cluster.url)).said, new RegExp(`The Redis at ${poor.name} refuses.*OOM`));
    await poor.client.config('SET', 'maxmemory', '0');
    await poor.client.config('SET', 'requirepass', 'secret');
    const { said, remedy } = await faultAt(cluster.url);
    assert.equal(said, `${poor.name}: NOAUTH Authentication required`);
    assert.match(remedy ?? '', /BRUME_REDIS_PASSWORD/);
  });
});

describe('a Redis that lets nobody in', { timeout: 60_000 }, () => {
  it('tells what to do about a password', async (t) => {
    const { client, url, place } = await redisFor(t);
    await client.config('SET', 'requirepass', 'secret');
    const none = await faultAt(url);
    assert.equal(none.said, `${place}: NOAUTH Authentication required`);
    assert.match(none.remedy ?? '', /^Set BRUME_REDIS_PASSWORD/);
    const wrong = await faultAt(url, { password: 'guess' });
    assert.match(wrong.said, /WRONGPASS/);
    assert.match(wrong.remedy ?? '', /without a user.*BRUME_REDIS_USERNAME/);
    const wrongUser = await faultAt(url, { username: 'brume', password: 'guess' });
    assert.match(wrongUser.remedy ?? '', /Compare the user and the password/);
    for (const { message } of [none, wrong, wrongUser]) assert.doesNotMatch(message, /guess|HELLO/);
  });

  it('lists all rights that are missing, that to its time among them', async (t) => {
    const { client, url, place } = await redisFor(t);
    await client.call('ACL', 'SETUSER', 'poor', 'on', '>secret', '~*', '+@all', '-time', '-zadd');
    const { said } = await faultAt(url, { username: 'poor', password: 'secret' });
    assert.match(said, new RegExp(`at ${place} .*Missing: TIME, ZADD\\.`));
  });

  it('tells that it has as many clients as it may, and nothing of TLS', async (t) => {
    const { client, url } = await redisFor(t);
    await client.config('SET', 'maxclients', '1');
    const { said, remedy } = await faultAt(url);
    assert.match(said, /ERR max number of clients reached$/);
    assert.match(remedy ?? '', /^Raise maxclients/);
  });

  it('tells what the URL should be', async (t) => {
    const { url } = await redisFor(t, { args: ['--databases', '2'] });
    const database = await faultAt(`${url}/2`);
    assert.match(database.said, /DB index/);
    assert.match(database.remedy ?? '', /^Correct that number/);
    const away = `127.0.0.1:${await freePort()}`;
    const refused = await faultAt(`redis://${away}`);
    assert.equal(refused.said, `connect ECONNREFUSED ${away}`);
    assert.match(refused.remedy ?? '', /^Start Redis; correct BRUME_REDIS_URL$/);
    const web = createServer((_, reply) => reply.end()).listen(0, '127.0.0.1');
    await once(web, 'listening');
    t.after(() => web.close());
    const { port } = web.address() as { port: number };
    for (const scheme of ['redis', 'rediss']) {
      const other = await faultAt(`${scheme}://127.0.0.1:${port}`);
      assert.doesNotMatch(other.said, /report this/);
      assert.match(other.remedy ?? '', /BRUME_REDIS_URL/);
    }
  });

  it('is a Sentinel, where that answers', async (t) => {
    const rig = await startSentinels({ replicas: 0, sentinels: 1 });
    t.after(() => rig.stop());
    const place = `127.0.0.1:${rig.sentinels[0]?.port}`;
    for (const scheme of ['redis', 'redis+cluster']) {
      const { said, remedy } = await faultAt(`${scheme}://${place}`);
      assert.equal(said, `${place}: it is a Sentinel, not a server`);
      assert.match(remedy ?? '', /redis\+sentinel:\/\//);
    }
  });
});

describe('a Redis that is far away', { timeout: 60_000 }, () => {
  it('is warned of by how long its fastest answer takes, if that is longer than a check waits', async (t) => {
    const { url } = await redisFor(t);
    const relay = await startRelay(Number(new URL(url).port), { delayMs: 60 });
    t.after(() => relay.stop());
    const proven = await proveRedis({
      url: `redis://127.0.0.1:${relay.port}`,
      clock: systemClock,
      timeoutMs: 5000,
    });
    const [server] = proven.servers;
    assert.ok((server?.answerMs ?? 0) >= 59, String(server?.answerMs));
    const slow = redisWarnings(proven, 50).filter(({ code }) => code === 'slow');
    assert.match(
      slow.map(({ text }) => text).join(),
      /BRUME_REDIS_TIMEOUT_MS is 50: all checks are degraded/,
    );
    const enough = redisWarnings(proven, 60_000).filter(({ code }) => code === 'slow');
    assert.deepEqual(enough, []);
  });
});
