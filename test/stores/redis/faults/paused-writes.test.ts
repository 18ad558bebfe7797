import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { CountersFault } from '../../../../src/limiter/counters.ts';
import type { RedisServer } from '../../../support/redis-server.ts';
import { proves, redisFor, Subject } from './faulty-redis.ts';

const CALLERS = 8;
/** Longer than any test takes. */
const PAUSED_MS = 600_000;

async function connectionsSoFar({ client }: RedisServer): Promise<number> {
  return Number(/total_connections_received:(\d+)/.exec(await client.info('stats'))?.[1]);
}

/** How the checks of several callers end, one after the other for each, until it is so. */
async function checksUntil(subject: Subject, isSo: () => Promise<boolean>) {
  const ends: Record<CountersFault | 'none', number> = {
    none: 0,
    timeout: 0,
    unavailable: 0,
    full: 0,
    corrupt: 0,
  };
  const caller = async () => {
    while (!(await isSo())) {
      ends[await subject.check()]++;
      await delay(2);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return ends;
}

describe('a Redis that answers what reads, and holds what may write', () => {
  proves('writes_held', async (t) => {
    const redis = await redisFor(t);
    const subject = new Subject(t, 'writes_held', redis.url);
    await subject.ready();
    assert.equal(await subject.check(), 'none');
    subject.told.lines.length = 0;
    await redis.client.client('PAUSE', PAUSED_MS, 'WRITE');
    const before = await connectionsSoFar(redis);
    // By what it reads each of these connections would be taken for good, and the next checks would wait.
    const ends = await checksUntil(subject, async () => (await connectionsSoFar(redis)) >= before + 3);
    assert.equal(ends.none, 0);
    assert.ok(ends.timeout > 0 && ends.timeout <= 3 * CALLERS, `${ends.timeout} checks waited`);
    assert.ok(ends.unavailable > ends.timeout, 'the median one was refused at once');
    assert.equal(subject.counters.stats().isConnected, false);
    assert.deepEqual(await subject.counters.condition(), { state: 'unavailable', fault: 'no_answer' });

    await redis.client.client('UNPAUSE');
    await subject.recovered();
    assert.deepEqual(await subject.counters.condition(), { state: 'available' });
    const { told } = subject.row;
    assert.deepEqual(subject.told.lines, [told, 'Redis connected'], 'told once each way');
  });
});
