import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { stateKey } from '../../../../src/stores/redis/script-keys.ts';
import { freshKey, setOf } from '../../../support/counter-engines.ts';
import { startSentinels } from '../../../support/sentinels.ts';
import { proves, redisFor, Subject, until } from './faulty-redis.ts';

/** Keeps a server busy; it answers others with BUSY, as it is started here, after 20 ms. */
const BUSY = ['--busy-reply-threshold', '20'];

describe('a Redis that refuses', () => {
  proves('readonly', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'readonly', redis.url);
    await subject.ready();
    await redis.client.replicaof('127.0.0.1', 1);
    await subject.assertMet();
    assert.equal(subject.counters.stats().isConnected, false, 'it is given up');
    await redis.client.replicaof('NO', 'ONE');
    await subject.recovered();
  });

  proves('masterdown', async (t) => {
    const redis = await redisFor(t, { args: ['--replica-serve-stale-data', 'no'] });
    const subject = new Subject(t, 'masterdown', redis.url);
    await subject.ready();
    await redis.client.replicaof('127.0.0.1', 1);
    await subject.assertMet();
    assert.equal(subject.counters.stats().isConnected, false, 'it is given up');
    await redis.client.replicaof('NO', 'ONE');
    await subject.recovered();
  });

  proves('replica', async (t) => {
    const redis = await redisFor(t);
    await redis.client.replicaof('127.0.0.1', 1);
    const subject = new Subject(t, 'replica', redis.url);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    await redis.client.replicaof('NO', 'ONE');
    await subject.recovered();
  });

  proves('sentinel', async (t) => {
    const rig = await startSentinels({ replicas: 0, sentinels: 1 });
    t.after(() => rig.stop());
    for (const scheme of ['redis', 'redis+cluster']) {
      const subject = new Subject(t, 'sentinel', `${scheme}://127.0.0.1:${rig.sentinels[0]?.port}`);
      await until(() => subject.faults() > 0);
      assert.equal(await subject.check(), 'unavailable');
      subject.assertTold();
    }
  });

  proves('no_database', async (t) => {
    const redis = await redisFor(t, { args: ['--databases', '2'] });
    const subject = new Subject(t, 'no_database', `${redis.url}/2`);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
  });

  proves('oom', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'oom', redis.url);
    await subject.ready();
    await redis.client.config('SET', 'maxmemory', '1');
    await subject.assertMet();
    await redis.client.config('SET', 'maxmemory', '0');
    assert.equal(await subject.check(), 'none', 'the connection is kept');
    assert.equal(subject.counters.stats().reconnects, 0);
  });

  proves('misconf', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'brume-gone-'));
    const redis = await redisFor(t, { args: ['--enable-protected-configs', 'yes'] });
    const subject = new Subject(t, 'misconf', redis.url);
    await subject.ready();
    // A directory that is gone is to Redis what a full disk is: its file can't be written.
    await redis.client.config('SET', 'dir', directory);
    await redis.client.config('SET', 'save', '3600 1');
    rmSync(directory, { recursive: true });
    await redis.client.bgsave();
    await until(async () => (await redis.client.info('persistence')).includes('last_bgsave_status:err'));
    await subject.assertMet();
    await redis.client.config('SET', 'stop-writes-on-bgsave-error', 'no');
    assert.equal(await subject.check(), 'none', 'the connection is kept');
  });

  proves('noreplicas', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'noreplicas', redis.url);
    await subject.ready();
    await redis.client.config('SET', 'min-replicas-to-write', '1');
    await subject.assertMet();
    await redis.client.config('SET', 'min-replicas-to-write', '0');
    assert.equal(await subject.check(), 'none', 'the connection is kept');
  });

  proves('noauth', async (t) => {
    const redis = await redisFor(t);
    await redis.client.config('SET', 'requirepass', 'secret');
    const subject = new Subject(t, 'noauth', redis.url);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    await redis.client.config('SET', 'requirepass', '');
    await subject.recovered();
  });

  proves('wrongpass', async (t) => {
    const redis = await redisFor(t);
    await redis.client.call('ACL', 'SETUSER', 'brume', 'on', '>right', '~*', '+@all');
    const subject = new Subject(t, 'wrongpass', redis.url.replace('//', '//brume:wrong@'));
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    assert.doesNotMatch(JSON.stringify(subject.told), /wrong@/);
    await redis.client.call('ACL', 'SETUSER', 'brume', '>wrong');
    await subject.recovered();
  });

  proves('noperm', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'noperm', redis.url);
    await subject.ready();
    const admin = new Redis(redis.url);
    t.after(() => admin.disconnect());
    await redis.client.call('ACL', 'SETUSER', 'default', '-set');
    await subject.assertMet();
    await redis.client.call('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
    await subject.assertMet();
    await admin.call('ACL', 'SETUSER', 'default', '+@all');
    assert.equal(await subject.check(), 'none', 'the connection is kept');
  });

  proves('busy', async (t) => {
    const redis = await redisFor(t, { args: BUSY });
    const subject = new Subject(t, 'busy', redis.url);
    await subject.ready();
    await subject.check();
    const other = new Redis(redis.url);
    t.after(() => other.disconnect());
    const script = other.eval('while true do end', 0).catch(() => undefined);
    await delay(100);
    await subject.assertMet();
    assert.deepEqual(subject.counters.stats().breakers, { closed: 0, open: 1, half_open: 0 });
    await redis.client.script('KILL');
    await script;
    assert.equal(subject.counters.stats().reconnects, 0, 'the connection is kept');
    await subject.recovered();
  });

  proves('unkillable', async (t) => {
    const redis = await redisFor(t, { args: BUSY });
    const subject = new Subject(t, 'unkillable', redis.url);
    await subject.ready();
    await subject.check();
    const other = new Redis(redis.url);
    t.after(() => other.disconnect());
    const script = "redis.call('SET', 'x', '1') for i = 1, 4e7 do local y = i % 7 end";
    const done = other.eval(script, 0);
    await delay(100);
    const killed = await redis.client.script('KILL').then(String, String);
    assert.match(killed, /UNKILLABLE/);
    await subject.assertMet();
    await done;
    await subject.recovered();
  });

  proves('noscript', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'noscript', redis.url);
    await subject.ready();
    await subject.check();
    await redis.client.script('FLUSH');
    await subject.assertMet();
    const loaded = subject.faults();
    assert.equal(await subject.check(), 'none');
    assert.equal(subject.faults(), loaded, 'it is known again');
  });

  proves('wrongtype', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'wrongtype', redis.url);
    await subject.ready();
    const key = freshKey();
    for (const damage of ['hello', '', '9e999']) {
      await redis.client.set(stateKey(key), damage);
      assert.equal(await subject.check(key), 'corrupt');
      assert.equal(await subject.check(key), 'none');
      assert.equal(await subject.remaining(key), 99, 'it counts anew');
    }
    const log = setOf({ algorithm: 'sliding_log', limit: 2, windowMs: 60_000 });
    const logged = () => subject.counters.check({ key: other, set: log, cost: 1, peek: false });
    const other = freshKey();
    await logged();
    await redis.client.set(`${stateKey(other)}:sliding-log`, 'no list');
    await assert.rejects(logged, /damaged/);
    assert.equal((await logged()).limits[0]?.remaining, 1);
  });

  proves('clusterdown', async (t) => {
    const redis = await redisFor(t, { args: ['--cluster-enabled', 'yes'] });
    const subject = new Subject(t, 'clusterdown', redis.url);
    await subject.ready();
    await subject.assertMet();
    assert.deepEqual(subject.counters.stats().breakers, { closed: 0, open: 1, half_open: 0 });
  });

  proves('max_clients', async (t) => {
    const redis = await redisFor(t);
    await redis.client.config('SET', 'maxclients', '1');
    const subject = new Subject(t, 'max_clients', redis.url);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    await redis.client.config('SET', 'maxclients', '100');
    await subject.recovered();
  });
});
