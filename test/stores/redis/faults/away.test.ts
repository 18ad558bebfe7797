import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freshKey } from '../../../support/counter-engines.ts';
import { freePort } from '../../../support/free-port.ts';
import { startRedis } from '../../../support/redis-server.ts';
import { startRelay } from '../../../support/relay.ts';
import { proves, redisFor, Subject, until } from './faulty-redis.ts';

/** What the counters know the state of Redis by. */
async function whole(subject: Subject): Promise<string> {
  const { epoch } = subject.counters;
  await epoch.finish(await epoch.begin());
  const mark = await epoch.look();
  assert.ok(mark !== undefined);
  return mark;
}

describe('a Redis that is away, hangs, or is another one', () => {
  proves('refused', async (t) => {
    const port = await freePort();
    const subject = new Subject(t, 'refused', `redis://127.0.0.1:${port}`);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    await redisFor(t, { port });
    await subject.recovered();
  });

  proves('not_connected', async (t) => {
    const subject = new Subject(t, 'not_connected', `redis://127.0.0.1:${await freePort()}`);
    for (let check = 1; check <= 100; check++) assert.equal(await subject.check(), 'unavailable');
    assert.equal(subject.faults(), 100);
  });

  proves('no_master', async (t) => {
    const subject = new Subject(t, 'no_master', `redis+sentinel://127.0.0.1:${await freePort()}/main`);
    await until(() => subject.faults() > 0);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
  });

  proves('slow', async (t) => {
    const redis = await redisFor(t);
    const relay = await startRelay(Number(new URL(redis.url).port), { delayMs: 80 });
    t.after(() => relay.stop());
    const subject = new Subject(t, 'slow', `redis://127.0.0.1:${relay.port}`, { timeoutMs: 50 });
    // The first one may show a busy moment.
    await until(() => subject.faults() > 1);
    assert.equal(await subject.check(), 'unavailable');
    subject.assertTold();
    assert.deepEqual(await subject.counters.condition(), { state: 'unavailable', fault: 'slow' });
  });

  proves('lost', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'lost', redis.url);
    await subject.ready();
    await redis.client.client('PAUSE', 200, 'WRITE');
    const key = freshKey();
    const check = subject.check(key);
    await delay(20);
    await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    assert.equal(await check, subject.row.counters);
    assert.ok(subject.faults() > 0);
    subject.assertTold();
    await subject.recovered();
    assert.equal(await subject.remaining(key), 100, 'what was under way was not sent again');
  });

  proves('failover_in_call', async (t) => {
    const former = await startRedis();
    const port = Number(new URL(former.url).port);
    const subject = new Subject(t, 'failover_in_call', former.url);
    await subject.ready();
    await former.client.client('PAUSE', 5000, 'ALL');
    const key = freshKey();
    const check = subject.check(key);
    await delay(20);
    await former.stop();
    assert.equal(await check, subject.row.counters);
    await redisFor(t, { port });
    await subject.recovered();
    subject.assertTold();
    assert.ok(subject.faults() > 0);
    assert.equal(await subject.remaining(key), 100, 'what was under way was not sent again');
  });

  proves('no_answer', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'no_answer', redis.url);
    await subject.ready();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      await subject.assertMetAfter(4);
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await subject.recovered();
  });

  proves('half_open', async (t) => {
    const redis = await redisFor(t);
    const relay = await startRelay(Number(new URL(redis.url).port));
    t.after(() => relay.stop());
    const subject = new Subject(t, 'half_open', `redis://127.0.0.1:${relay.port}`);
    await subject.ready();
    relay.swallow();
    await subject.assertMetAfter(4);
    relay.passAgain();
    await subject.recovered();
  });

  proves('flushed', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'flushed', redis.url);
    await subject.ready();
    await whole(subject);
    const key = freshKey();
    assert.equal(await subject.check(key), 'none');
    await redis.client.flushall();
    assert.equal(await subject.counters.epoch.look(), undefined, 'the mark is gone');
    assert.equal(await subject.check(key), 'none');
    assert.equal(await subject.remaining(key), 99);
  });

  proves('replaced', async (t) => {
    const former = await startRedis();
    const subject = new Subject(t, 'replaced', former.url);
    await subject.ready();
    await whole(subject);
    await former.stop();
    await redisFor(t, { port: Number(new URL(former.url).port) });
    await subject.recovered();
    assert.equal(subject.counters.stats().serverChanges, 1);
    subject.assertTold();
    assert.equal(await subject.counters.epoch.look(), undefined, 'the mark is gone');
  });

  proves('monitor', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'monitor', redis.url);
    await subject.ready();
    const client = new Redis(redis.url, { retryStrategy: () => null });
    const monitor = await client.monitor();
    t.after(() => {
      client.disconnect();
      monitor.disconnect();
    });
    const seen: string[][] = [];
    monitor.on('monitor', (_time: string, command: string[]) => seen.push(command));
    const key = freshKey();
    assert.equal(await subject.check(key), 'none');
    await until(() => seen.some((command) => command.some((part) => part.includes(key))));
  });

  proves('slow_replicas', async (t) => {
    const redis = await redisFor(t);
    const port = new URL(redis.url).port;
    const replica = await redisFor(t, { args: ['--replicaof', `127.0.0.1 ${port}`] });
    await until(async () => (await replica.client.info('replication')).includes('master_link_status:up'));
    const subject = new Subject(t, 'slow_replicas', redis.url);
    await subject.ready();
    process.kill(replica.pid, 'SIGSTOP');
    for (let check = 0; check < 20; check++) assert.equal(await subject.check(), 'none');
  });

  proves('may_evict', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'may_evict', redis.url, { memoryCheckMs: 10 });
    await subject.ready();
    await until(() => subject.counters.stats().mayEvict === false);
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await until(() => subject.counters.stats().mayEvict === true);
    subject.assertTold();
    assert.equal(await subject.check(), 'none');
    await redis.client.config('SET', 'maxmemory', '3mb');
    for (let key = 0; key < 400; key++) await redis.client.set(`junk${key}`, 'x'.repeat(10_000));
    await until(() => subject.counters.stats().evictions > 0);
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    await until(() => subject.counters.stats().mayEvict === false);
  });
});
