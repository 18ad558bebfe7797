import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { proveRedis } from '../../../src/stores/redis/proof/prove-redis.ts';
import type { RedisAccess } from '../../../src/stores/redis/redis-address.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, silentLog } from '../../support/counter-engines.ts';
import { counting, SET } from '../../support/counting-redis.ts';
import { freePort } from '../../support/free-port.ts';
import { startRedisCluster } from '../../support/redis-cluster.ts';
import { wholeCluster } from '../../support/redis-cluster-counters.ts';
import { startRedis } from '../../support/redis-server.ts';
import { startSentinels } from '../../support/sentinels.ts';
import { selfSigned } from '../../support/tls-identity.ts';

describe('a Redis by TLS', { timeout: 60_000 }, () => {
  it('whose authority is named, and both sides show a certificate; not one of an unknown authority', async (t) => {
    const { certPath, keyPath, cert, key } = selfSigned(t);
    const port = 20_000 + (process.pid % 10_000);
    const tls = ['--tls-port', String(port), '--tls-cert-file', certPath, '--tls-key-file', keyPath];
    const server = await startRedis({ args: [...tls, '--tls-ca-cert-file', certPath] });
    const url = `rediss://localhost:${port}`;
    try {
      await counting(url, { tls: { ca: cert, cert, key } });
      const unknown = { tls: { cert, key } };
      await assert.rejects(
        proveRedis({ url, access: unknown, clock: systemClock, timeoutMs: 300 }),
        /self-signed/,
      );
    } finally {
      await server.stop();
    }
  });

  it('tells what to do where TLS is why nobody gets in', async (t) => {
    const [own, other] = [selfSigned(t), selfSigned(t)];
    const port = await freePort();
    const files = ['--tls-cert-file', own.certPath, '--tls-key-file', own.keyPath];
    const server = await startRedis({
      args: ['--tls-port', String(port), ...files, '--tls-ca-cert-file', own.certPath],
    });
    const { cert: ca, cert, key } = own;
    const faultOf = async (url: string, tls: RedisAccess['tls']) => {
      const proof = proveRedis({ url, access: { ...(tls && { tls }) }, clock: systemClock, timeoutMs: 2000 });
      const error = await proof.catch((reason: unknown) => reason);
      assert.ok(error instanceof Error, `${url} can be used`);
      assert.doesNotMatch(error.message, /error:[0-9A-F]{8}|\n|Node/);
      return error.message;
    };
    const url = `rediss://localhost:${port}`;
    try {
      // Which of the two it says depends on what is read first: the reason, or the end.
      assert.match(await faultOf(url, { ca }), /BRUME_REDIS_TLS_CERT and BRUME_REDIS_TLS_KEY/);
      assert.match(
        await faultOf(url, { ca, cert: other.cert, key: other.key }),
        /unknown ca: .*BRUME_REDIS_TLS_CERT|ECONNRESET/,
      );
      assert.match(await faultOf(url, { ca: other.cert, cert, key }), /self-signed.*: BRUME_REDIS_TLS_CA/);
      assert.match(await faultOf(url, { cert, key }), /self-signed.*: BRUME_REDIS_TLS_CA/);
      const { url: plain } = server;
      assert.match(
        await faultOf(plain.replace('redis', 'rediss'), { ca, cert, key }),
        /begin with redis inst/,
      );
      assert.match(await faultOf(url.replace('rediss', 'redis'), undefined), /begin with rediss inst/);
    } finally {
      await server.stop();
    }
  });

  it('Sentinels that speak TLS, and servers that do not', async (t) => {
    const { certPath, keyPath, cert, key } = selfSigned(t);
    const rig = await startSentinels({ replicas: 0, sentinels: 1, sentinelTls: { certPath, keyPath } });
    const sentinel = { username: undefined, password: undefined, tls: 'on' } as const;
    try {
      await counting(rig.url, { tls: { ca: cert, cert, key }, sentinel });
      const unknown = { tls: { cert, key }, sentinel };
      await assert.rejects(
        proveRedis({ url: rig.url, access: unknown, clock: systemClock, timeoutMs: 1500 }),
        /self-signed|no Sentinel/,
      );
    } finally {
      await rig.stop();
    }
  });

  it('a cluster by TLS with a password, of which each node is known by its address', async (t) => {
    const { certPath, keyPath, cert, key } = selfSigned(t);
    const cluster = await startRedisCluster({ password: 'p@ss:w/rd', tls: { certPath, keyPath } });
    const access = { password: 'p@ss:w/rd', tls: { ca: cert, cert, key } };
    const counters = RedisCounters.connect({
      url: cluster.url,
      access,
      timeoutMs: 1000,
      clock: systemClock,
      log: silentLog,
    });
    try {
      assert.match(cluster.url, /^rediss\+cluster:/);
      await wholeCluster(counters);
      for (let shard = 0; shard < 20; shard++) {
        const { admitted } = await counters.check({ key: freshKey(), set: SET, cost: 1, peek: false });
        assert.equal(admitted, true);
      }
      for (const { client } of cluster.masters) assert.ok((await client.dbsize()) > 0, 'each counts');
      const { servers } = await proveRedis({
        url: cluster.url,
        access,
        clock: systemClock,
        timeoutMs: 3000,
      });
      assert.equal(servers.length, 3);
      const wrong = { ...access, password: 'wrong' };
      await assert.rejects(
        proveRedis({ url: cluster.url, access: wrong, clock: systemClock, timeoutMs: 300 }),
        /WRONGPASS|invalid username-password/,
      );
    } finally {
      await counters.close();
      await cluster.stop();
    }
  });
});
