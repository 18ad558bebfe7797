import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { ready, silentLog } from '../../support/counter-engines.ts';
import { startRedis } from '../../support/redis-server.ts';
import { problemIn, startPlane, window } from './plane-harness.ts';

const ANN = { namespace: 'api', identifier: 'ann' };

test('a retry with the same id gets the first verdict and consumes once', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  const first = await plane.verdict({ ...ANN, cost: 2, requestId: 'r1' });
  assert.deepEqual([first.success, first.remaining, first.requestId], [true, 3, 'r1']);
  await plane.verdict(ANN);
  for (const sent of [{ body: { requestId: 'r1' } }, { headers: { 'idempotency-key': 'r1' } }]) {
    const again = await plane.post('/v1/limit', { ...ANN, cost: 2, ...sent.body }, sent.headers);
    assert.deepEqual(JSON.parse(again.body), first);
    assert.equal(again.headers['x-ratelimit-remaining'], '3');
  }
  assert.equal(await plane.remaining('api', 'ann'), 2);
});

test('an id counts for its identifier and namespace alone', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5), login: window(5) } });
  await plane.verdict({ ...ANN, requestId: 'r1' });
  await plane.verdict({ ...ANN, identifier: 'bob', requestId: 'r1' });
  await plane.verdict({ ...ANN, namespace: 'login', requestId: 'r1' });
  await plane.verdict({ ...ANN, requestId: 'R1' });
  assert.equal(await plane.remaining('api', 'ann'), 3);
  assert.equal(await plane.remaining('api', 'bob'), 4);
  assert.equal(await plane.remaining('login', 'ann'), 4);
});

test('the same id with another cost is 409 and changes nothing', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  await plane.verdict({ ...ANN, requestId: 'r1' });
  for (const cost of [0, 2]) {
    const answer = await plane.post('/v1/limit', { ...ANN, cost, requestId: 'r1' });
    assert.deepEqual(problemIn(answer), { status: 409, code: 'request_id_reused', field: 'requestId' });
  }
  assert.equal(await plane.remaining('api', 'ann'), 4);
});

test('a denied check is judged anew, and an admitted one is forgotten after a minute', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  plane.nowMs = Math.ceil(plane.nowMs / 60_000) * 60_000 + 59_000;
  await plane.verdict(ANN);
  assert.equal((await plane.verdict({ ...ANN, requestId: 'r1' })).success, false);
  plane.nowMs += 1000;
  assert.equal((await plane.verdict({ ...ANN, requestId: 'r1' })).success, true);
  plane.nowMs += 59_999;
  assert.equal((await plane.verdict({ ...ANN, requestId: 'r1' })).success, true);
  assert.equal(await plane.remaining('api', 'ann'), 0);
  plane.nowMs += 1;
  assert.equal((await plane.verdict({ ...ANN, requestId: 'r1' })).success, true);
  assert.equal(await plane.remaining('api', 'ann'), 0);
});

test('a peek is judged anew whatever its id, and says so in no other way', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  await plane.verdict({ ...ANN, requestId: 'r1' });
  const peeked = await plane.verdict({ ...ANN, cost: 5, requestId: 'r1' }, '/v1/peek');
  assert.deepEqual([peeked.success, peeked.remaining], [false, 4]);
});

test('header and body may say the same id, and not two', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  const same = await plane.post('/v1/limit', { ...ANN, requestId: 'r1' }, { 'idempotency-key': 'r1' });
  assert.equal(JSON.parse(same.body).requestId, 'r1');
  const two = await plane.post('/v1/limit', { ...ANN, requestId: 'r1' }, { 'idempotency-key': 'r2' });
  assert.deepEqual([two.status, problemIn(two).field], [400, 'Idempotency-Key']);
  assert.equal(await plane.remaining('api', 'ann'), 4);
});

test('an id is 1 to 128 printable ASCII characters', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  for (const requestId of ['', 'é', 'a\tb', 'a\u0000', 'x'.repeat(129), 7, null, ['a'], '\u007f']) {
    const answer = await plane.post('/v1/limit', { ...ANN, requestId });
    const { status, code, field } = problemIn(answer);
    assert.deepEqual([requestId, status, code, field], [requestId, 400, 'bad_request', 'requestId']);
  }
  for (const key of ['', 'a\tb', 'M\xfcller', 'x'.repeat(129), ['r1', 'r1']]) {
    const { status, field } = problemIn(await plane.post('/v1/limit', ANN, { 'idempotency-key': key }));
    assert.deepEqual([key, status, field], [key, 400, 'Idempotency-Key']);
  }
  assert.deepEqual(plane.checks, []);
  const longest = ' ~'.repeat(64);
  assert.equal((await plane.verdict({ ...ANN, requestId: longest })).requestId, longest);
});

describe('B29: the same id while the first is still running', () => {
  test('is charged once, by whichever node it is asked', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.stop());
    const nodes = await Promise.all(
      [1, 2].map(async () => {
        const counters = RedisCounters.connect({
          url: redis.url,
          timeoutMs: 5000,
          clock: systemClock,
          log: silentLog,
          injectedNowMs: () => 1_800_000_000_000,
        });
        t.after(() => counters.close());
        await ready(counters);
        return startPlane(t, { namespaces: { api: window(5) }, counters });
      }),
    );
    const [one, other] = nodes;
    assert.ok(one !== undefined && other !== undefined);
    // Redis stands still until all of them are under way.
    process.kill(redis.pid, 'SIGSTOP');
    const running = [one, one, other, other].map((node) =>
      node.verdict({ ...ANN, cost: 2, requestId: 'order-1' }),
    );
    while (one.checks.length + other.checks.length < running.length) await new Promise(setImmediate);
    process.kill(redis.pid, 'SIGCONT');
    const [first, ...retries] = await Promise.all(running);
    assert.deepEqual([first?.success, first?.remaining], [true, 3]);
    for (const retry of retries) assert.deepEqual(retry, first);
    assert.equal(await other.remaining('api', 'ann'), 3);
  });
});
