import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { systemClock } from '../../../src/limiter/clock.ts';
import type { CounterOutcome, CountersFault } from '../../../src/limiter/counters.ts';
import { CountersError } from '../../../src/limiter/counters.ts';
import { WINDOW_ALGORITHMS } from '../../../src/limiter/limit.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../../src/stores/redis/script-keys.ts';
import { freshKey, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const ONE_MINUTE = setOf({ algorithm: 'fixed_window', limit: 100, windowMs: 60_000 });
const ALL = setOf(...WINDOW_ALGORITHMS.map((algorithm) => ({ algorithm, limit: 100, windowMs: 60_000 })));

let server: RedisServer;
let counters: RedisCounters;
const warnings: string[] = [];

function connect(url: string, timeoutMs = 2000): RedisCounters {
  const log = { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) };
  return RedisCounters.connect({ url, timeoutMs, clock: systemClock, log });
}

function check(key: string, set = ONE_MINUTE): Promise<CounterOutcome> {
  return counters.check({ key, set, cost: 1, peek: false });
}

function answerOf(other: RedisCounters): Promise<unknown> {
  const asked = other.check({ key: freshKey(), set: ONE_MINUTE, cost: 1, peek: false });
  return asked.catch((error: unknown) => error);
}

async function faultOf(answer: Promise<CounterOutcome>): Promise<CountersFault> {
  const error = await answer.then(
    () => assert.fail('the check was answered'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CountersError, String(error));
  return error.fault;
}

before(async () => {
  server = await startRedis();
});
after(() => server?.stop());
beforeEach(async () => {
  await server.client.flushall();
  warnings.length = 0;
  counters = connect(server.url);
  await ready(counters);
});
afterEach(() => counters.close());

describe('counters in Redis', () => {
  it('B12: every key ends within twice its window, and none is left without a TTL', async () => {
    await check(freshKey(), ALL);
    const keys = await server.client.keys('*');
    assert.equal(keys.length, 2, 'the packed state, and the list of the sliding log');
    for (const key of keys) {
      const ttlMs = await server.client.pttl(key);
      assert.ok(ttlMs > 0 && ttlMs <= 120_000, `${key}: ${ttlMs}`);
    }
  });

  it('B12: keys are gone once their window is over', async () => {
    const brief = WINDOW_ALGORITHMS.map((algorithm) => ({ algorithm, limit: 5, windowMs: 50 }));
    await check(freshKey(), setOf(...brief));
    // The list outlives its window by a second.
    while ((await server.client.dbsize()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it('B24: fixed_window of 20 ms in real time: no fault at its edges, and never more than its limit', async () => {
    const set = setOf(
      { algorithm: 'fixed_window', limit: 10, windowMs: 20 },
      { algorithm: 'sliding_window', limit: 10, windowMs: 20 },
    );
    const key = freshKey();
    const admitted = new Map<number, number>();
    const untilMs = Date.now() + 1500;
    while (Date.now() < untilMs) {
      for (const { admitted: isAdmitted, nowMs, limits } of await Promise.all([
        check(key, set),
        check(key, set),
      ])) {
        const resetMs = limits[0]?.resetMs ?? 0;
        assert.ok(resetMs >= nowMs && resetMs <= nowMs + 20);
        const window = nowMs - (nowMs % 20);
        if (isAdmitted) admitted.set(window, (admitted.get(window) ?? 0) + 1);
      }
    }
    assert.ok(admitted.size > 20);
    assert.ok([...admitted.values()].every((count) => count <= 10));
  });

  it('a denied check of a long log is as cheap as any, and never calls back too early', async () => {
    const key = freshKey();
    const set = setOf({ algorithm: 'sliding_log', limit: 10_000, windowMs: 86_400_000 });
    for (let batch = 0; batch < 100; batch++) {
      await Promise.all(Array.from({ length: 100 }, () => check(key, set)));
    }
    await server.client.config('RESETSTAT');
    for (let asked = 0; asked < 20; asked++) {
      const { admitted } = await counters.check({ key, set, cost: 9999, peek: false });
      assert.equal(admitted, false);
    }
    const stats = await server.client.info('commandstats');
    const ranges = Number(/cmdstat_lrange:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    assert.ok(ranges <= 2 * 20, `${ranges} pages read for 20 checks`);
  });

  it('the password is in no log line and in no error', async () => {
    const guarded = await startRedis({
      args: ['--requirepass', 'right-password'],
      password: 'right-password',
    });
    const lines: string[] = [];
    const log = {
      info: () => undefined,
      warn: (fields: object) => void lines.push(inspect(fields, { depth: 9 })),
    };
    const url = guarded.url.replace('redis://', 'redis://:TOPSECRET@');
    const refused = RedisCounters.connect({ url, timeoutMs: 500, clock: systemClock, log });
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const error = await answerOf(refused);
    assert.doesNotMatch(lines.join() + inspect(error, { depth: 9 }), /TOPSECRET/);
    await refused.close();
    await guarded.stop();
  });

  it('a database that the server does not have is unavailable, and is never another one', async () => {
    const lost = connect(`${server.url}/999`);
    while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const error = await answerOf(lost);
    assert.ok(error instanceof CountersError && error.fault === 'unavailable');
    assert.equal(await server.client.dbsize(), 0);
    await lost.close();
  });

  it('B09: 200 parallel checks over two connections admit exactly the limit, ten times', async () => {
    const other = connect(server.socketUrl);
    await ready(other);
    const set = setOf({ algorithm: 'sliding_log', limit: 20, windowMs: 60_000 });
    for (let round = 0; round < 10; round++) {
      const key = freshKey();
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          [counters, other][index % 2]?.check({ key, set, cost: 1, peek: false }),
        ),
      );
      assert.equal(outcomes.filter((outcome) => outcome?.admitted).length, 20);
      assert.equal(await server.client.llen(`${stateKey(key)}:sliding-log`), 20);
    }
    await other.close();
  });

  it('the checks of one turn travel in one script call, of at most 64', async () => {
    await check(freshKey()); // so that the script is known
    await server.client.config('RESETSTAT');
    await Promise.all(Array.from({ length: 600 }, () => check(freshKey())));
    assert.match(await server.client.info('commandstats'), /cmdstat_evalsha:calls=10,/);
  });

  it('a denied check, a peek and a cost of 0 write nothing', async () => {
    const key = freshKey();
    const set = setOf(
      { algorithm: 'gcra', limit: 1, windowMs: 60_000 },
      { algorithm: 'sliding_log', limit: 1, windowMs: 60_000 },
    );
    await counters.check({ key, set, cost: 1, peek: true });
    await counters.check({ key, set, cost: 0, peek: false });
    assert.equal(await server.client.dbsize(), 0);
    await check(key, set);
    const before = await server.client.dump(stateKey(key));
    assert.equal((await check(key, set)).admitted, false);
    assert.deepEqual(await server.client.dump(stateKey(key)), before);
  });

  it('a thousand checks of a heavy rule at once are all answered, each call within its deadline', async () => {
    const windows = Array.from({ length: 6 }, (_, index) => ({
      name: `w${index}`,
      algorithm: 'fixed_window' as const,
      limit: 5,
      windowMs: 60_000 * (index + 1),
    }));
    const set = setOf(...windows);
    await server.client.config('RESETSTAT');
    const answers = await Promise.allSettled(
      Array.from({ length: 1000 }, () =>
        counters.check({ key: freshKey(), set, cost: 1, peek: false, requestKey: freshKey() }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1000);
    // At most 128 limits and request ids a call: 18 checks of seven.
    assert.match(await server.client.info('commandstats'), /cmdstat_evalsha:calls=56,/);
  });

  it('a rule without its sliding log leaves no list behind', async () => {
    const key = freshKey();
    await check(key, ALL);
    await check(key, ONE_MINUTE);
    assert.deepEqual(await server.client.keys('*'), [stateKey(key)]);
  });

  it('a server that lost its scripts is told them again, and every check is counted once', async () => {
    const key = freshKey();
    for (let round = 0; round < 5; round++) {
      await server.client.script('FLUSH');
      await check(key);
    }
    assert.equal((await check(key)).limits[0]?.remaining, 94);
  });

  it('a hung server costs a check its deadline, no more, and what it reads later counts nothing', async () => {
    const key = freshKey();
    await check(key);
    const hasty = connect(server.url, 100);
    await ready(hasty);
    process.kill(server.pid, 'SIGSTOP');
    try {
      assert.equal(await faultOf(hasty.check({ key, set: ONE_MINUTE, cost: 1, peek: false })), 'timeout');
      await new Promise((resolve) => setTimeout(resolve, 300));
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    assert.equal((await check(key)).limits[0]?.remaining, 98, 'the late call wrote nothing');
    await hasty.close();
  });

  it('out of memory: the fault is "full", and what was counted stays', async () => {
    const key = freshKey();
    await check(key);
    await server.client.config('SET', 'maxmemory', '1');
    try {
      assert.equal(await faultOf(check(freshKey())), 'full');
    } finally {
      await server.client.config('SET', 'maxmemory', '0');
    }
    assert.equal((await check(key)).limits[0]?.remaining, 98);
  });

  it('without a server checks fail at once, and succeed when it comes', async () => {
    const away = await startRedis();
    const port = Number(new URL(away.url).port);
    await away.stop();
    const patient = connect(away.url, 60_000);
    assert.equal(
      await faultOf(patient.check({ key: freshKey(), set: ONE_MINUTE, cost: 1, peek: false })),
      'unavailable',
    );
    assert.equal(await patient.ping(), false);
    const back = await startRedis({ port });
    await ready(patient);
    assert.equal(
      (await patient.check({ key: freshKey(), set: ONE_MINUTE, cost: 1, peek: false })).admitted,
      true,
    );
    await patient.close();
    await back.stop();
  });

  it('numbers up to 2^53-1 come back exact', async () => {
    const key = freshKey();
    const limit = Number.MAX_SAFE_INTEGER;
    const set = setOf({ algorithm: 'fixed_window', limit, windowMs: 366 * 86_400_000 });
    assert.equal((await counters.check({ key, set, cost: 0, peek: false })).limits[0]?.remaining, limit);
    await counters.check({ key, set, cost: limit - 1, peek: false });
    assert.equal((await check(key, set)).limits[0]?.remaining, 0);
    assert.equal((await check(key, set)).admitted, false);
    assert.match((await server.client.get(stateKey(key))) ?? '', /:9007199254740991$/);
  });
});
