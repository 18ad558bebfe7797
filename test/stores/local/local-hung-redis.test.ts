import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { systemTimers } from '../../../src/stores/cache/timers.ts';
import { LocalCounters } from '../../../src/stores/local/local-counters.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { checking } from '../../support/local-house.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const LIMIT = 10;
const NODES = 2;
const SHARE = LIMIT / NODES;
/** It outlasts the test, wherever that begins. */
const TEN = setOf({ algorithm: 'sliding_log', limit: LIMIT, windowMs: 24 * 3_600_000 });

describe('a Redis that hangs, goes on and hangs again', () => {
  let server: RedisServer;
  let node: LocalCounters;

  before(async () => {
    server = await startRedis();
    const counters = RedisCounters.connect({
      url: server.url,
      timeoutMs: 100,
      clock: systemClock,
      log: silentLog,
    });
    const options = { clock: systemClock, timers: systemTimers, log: silentLog, identifiersMax: 100 };
    node = new LocalCounters({ counters, ...options, liveNodes: () => NODES });
    await ready(counters);
  });
  after(async () => {
    await node?.close();
    await server?.stop();
  });

  it('costs a node one share, not one each time', async () => {
    const key = freshKey();
    let passed = 0;
    /** Whether Redis judged all of them. */
    const flood = async (count: number) => {
      const outcomes = await Promise.all(
        Array.from({ length: count }, () => node.check(checking(TEN, { key }))),
      );
      passed += outcomes.filter(({ admitted }) => admitted).length;
      return outcomes.every(({ fault }) => fault === undefined);
    };
    const answers = () =>
      waitFor('an answer of Redis', async () => {
        const { fault } = await node.check(checking(TEN, { key, cost: 0 }));
        return fault === undefined;
      });

    await answers();
    await flood(3);
    for (let hang = 0; hang < 4; hang++) {
      process.kill(server.pid, 'SIGSTOP');
      assert.equal(await flood(50), false);
      process.kill(server.pid, 'SIGCONT');
      await answers();
    }
    await waitFor('answers of Redis to all', () => flood(20));
    assert.ok(passed >= SHARE, `only ${passed} passed`);
    assert.ok(passed <= LIMIT + SHARE, `${passed} passed`);
  });
});
