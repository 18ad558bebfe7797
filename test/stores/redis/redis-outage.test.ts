import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { CountersError, type CountersFault } from '../../../src/limiter/counters.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 100, windowMs: 60_000 });
const TIMEOUT_MS = 150;

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server?.stop());

function counters(url: string): RedisCounters {
  return RedisCounters.connect({ url, timeoutMs: TIMEOUT_MS, clock: systemClock, log: silentLog });
}

async function faultOf(redis: RedisCounters, key = freshKey()): Promise<CountersFault | 'none'> {
  try {
    await redis.check({ key, set: SET, cost: 1, peek: false });
    return 'none';
  } catch (error) {
    assert.ok(error instanceof CountersError, String(error));
    return error.fault;
  }
}

/** A relay in front of Redis whose connections can be made to say nothing more. */
async function startRelay(port: number) {
  const open = new Set<Socket>();
  let accepted = 0;
  const relay = createServer((client) => {
    accepted++;
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    accepted: () => accepted,
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
    async stop() {
      for (const socket of open) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}

describe('a Redis that does not answer', () => {
  it('costs a few checks their deadline, and is then known to be away until it answers again', async () => {
    const redis = counters(server.url);
    await ready(redis);
    process.kill(server.pid, 'SIGSTOP');
    try {
      const faults: string[] = [];
      for (let check = 0; check < 8; check++) faults.push(await faultOf(redis));
      assert.deepEqual(faults.slice(0, 3), ['timeout', 'timeout', 'timeout']);
      assert.deepEqual(new Set(faults.slice(3)), new Set(['unavailable']), 'refused without waiting');
      assert.equal(await redis.ping(), false);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await ready(redis);
    assert.equal(await faultOf(redis), 'none');
    await redis.close();
  });

  it('a connection that went silent is replaced by one that works', async () => {
    const relay = await startRelay(Number(new URL(server.url).port));
    const redis = counters(relay.url);
    await ready(redis);
    assert.equal(relay.accepted(), 1);
    relay.silence();
    while ((await faultOf(redis)) !== 'unavailable');
    await ready(redis);
    assert.equal(await faultOf(redis), 'none');
    assert.equal(relay.accepted(), 2);
    await redis.close();
    await relay.stop();
  });

  it('its calls, time-outs and reconnects are counted, and whether it can be called', async () => {
    const relay = await startRelay(Number(new URL(server.url).port));
    const redis = counters(relay.url);
    await ready(redis);
    assert.equal(await faultOf(redis), 'none');
    const { calls: callsBefore, ...others } = redis.stats();
    assert.ok(callsBefore >= 1);
    assert.deepEqual(
      { isConnected: others.isConnected, reconnects: others.reconnects, timeouts: others.timeouts },
      { isConnected: true, reconnects: 0, timeouts: 0 },
    );
    relay.silence();
    while ((await faultOf(redis)) !== 'unavailable');
    const away = redis.stats();
    assert.equal(away.isConnected, false);
    assert.ok(away.timeouts >= 3 && away.failures >= 1 && away.calls >= callsBefore + 4);
    await ready(redis);
    assert.equal(redis.stats().reconnects, 1);
    assert.equal(redis.stats().isConnected, true);
    await redis.close();
    await relay.stop();
  });

  it('ping says so while a hung server still holds its connection', async () => {
    const redis = counters(server.url);
    await ready(redis);
    process.kill(server.pid, 'SIGSTOP');
    try {
      assert.equal(await redis.ping(), false);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await redis.close();
  });
});
