import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Redis } from 'ioredis';
import { systemClock } from '../../../src/limiter/clock.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { startRedis } from '../../support/redis-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SET = setOf({ algorithm: 'sliding_log', limit: 100, windowMs: 600_000 });

async function statsOf(client: Redis, command: string) {
  const line = new RegExp(`cmdstat_${command}:(.*)`).exec(await client.info('commandstats'))?.[1] ?? '';
  const number = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(line)?.[1] ?? 0);
  return { calls: number('calls'), failures: number('failed_calls') };
}

async function connected(t: TestContext, url: string): Promise<RedisCounters> {
  const counters = RedisCounters.connect({ url, timeoutMs: 5000, clock: systemClock, log: silentLog });
  t.after(() => counters.close());
  await ready(counters);
  return counters;
}

test('B32: scripts flushed before every tenth of 200 checks, functions too, and a restart: 100 pass, one failed call each', {
  timeout: 60_000,
}, async (t) => {
  // A restart keeps what was counted, as with a file.
  const args = ['--dir', temporaryDirectory(t)];
  let redis = await startRedis({ args });
  t.after(() => redis.stop());
  const counters = await connected(t, redis.url);
  const check = { key: freshKey(), set: SET, cost: 1, peek: false };
  const failuresSoFar = async () => (await statsOf(redis.client, 'evalsha')).failures;
  // Less the probe of each connection, which has a script of its own.
  let [admitted, flushes, failures] = [0, 0, -(await failuresSoFar())];
  for (let count = 0; count < 200; count++) {
    if (count % 10 === 0) {
      await redis.client.script('FLUSH');
      flushes++;
    }
    if (count === 50) await redis.client.call('FUNCTION', 'FLUSH');
    if (count === 75) {
      failures += await failuresSoFar();
      await redis.client.save();
      await redis.stop();
      redis = await startRedis({ args, port: Number(new URL(redis.url).port) });
      flushes++;
      await ready(counters);
      failures -= await failuresSoFar();
    }
    if ((await counters.check(check)).admitted) admitted++;
  }
  failures += await failuresSoFar();
  assert.equal(admitted, 100);
  assert.ok(failures <= flushes, `${failures} failed calls after ${flushes} flushes`);
});

test('B32: of 20 calls that are under way when the scripts go, one sends the text', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const counters = await connected(t, redis.url);
  const call = () => counters.checkAtomically([{ key: freshKey(), set: SET, cost: 1, peek: false }]);
  await call();
  const before = await statsOf(redis.client, 'eval');
  await redis.client.script('FLUSH');
  const answers = await Promise.all(Array.from({ length: 20 }, call));
  assert.ok(answers.every(([outcome]) => outcome?.admitted === true));
  assert.equal((await statsOf(redis.client, 'eval')).calls - before.calls, 1);
});
