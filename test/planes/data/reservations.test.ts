import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Verdict } from '../../../src/limiter/verdict.ts';
import { call } from '../../support/http-call.ts';
import { problemIn, startPlane, window } from './plane-harness.ts';

const ANN = { namespace: 'tokens', identifier: 'ann' };
const EVERY_ALGORITHM = [
  'fixed_window',
  'sliding_window',
  'sliding_log',
  'token_bucket',
  'leaky_bucket',
  'gcra',
] as const;

interface Reserved extends Verdict {
  readonly reservation: { readonly id: string; readonly expiresAt: number } | null;
}

async function startReserving(
  t: Parameters<typeof startPlane>[0],
  rule: Record<string, unknown> = window(100),
) {
  const plane = await startPlane(t, { namespaces: { tokens: rule } });
  const reserve = async (cost: number, more: object = {}): Promise<Reserved> => {
    const { status, body } = await plane.post('/v1/reservations', { ...ANN, cost, ...more });
    assert.equal(status, 200, body);
    return JSON.parse(body) as Reserved;
  };
  const idOf = async (cost: number, more: object = {}) =>
    (await reserve(cost, more)).reservation?.id ?? assert.fail('denied');
  const commit = (id: string, cost: number) => plane.post(`/v1/reservations/${id}/commit`, { cost });
  const drop = (id: string) =>
    call(`${plane.url}/v1/reservations/${id}`, { method: 'DELETE', headers: { 'x-api-key': plane.key } });
  const left = () => plane.remaining('tokens', 'ann');
  return { plane, reserve, idOf, commit, drop, left };
}

describe('reservations', () => {
  test('count as used from their start, and say when they run out', async (t) => {
    const { plane, reserve, left } = await startReserving(t);
    const { success, remaining, reservation } = await reserve(40);
    assert.deepEqual([success, remaining, reservation?.expiresAt], [true, 60, plane.nowMs + 60_000]);
    assert.equal(await left(), 60);
    const denied = await reserve(61);
    assert.deepEqual([denied.success, denied.reservation], [false, null]);
    assert.equal((await reserve(1, { ttlMs: 5000 })).reservation?.expiresAt, plane.nowMs + 5000);
  });

  for (const algorithm of EVERY_ALGORITHM) {
    test(`${algorithm}: committing less gives the rest back, more charges the rest`, async (t) => {
      const { idOf, commit, left } = await startReserving(t, {
        limits: [{ algorithm, limit: 100, windowMs: 60_000 }],
      });
      const [less, more] = [await idOf(40), await idOf(20)];
      const answer = await commit(less, 10);
      assert.deepEqual(JSON.parse(answer.body), { id: less, reserved: 40, cost: 10, late: false });
      assert.equal(await left(), 70);
      await commit(more, 35);
      assert.equal(await left(), 55);
    });

    test(`${algorithm}: more than there is left is charged all the same`, async (t) => {
      const { plane, idOf, commit, left } = await startReserving(t, {
        limits: [{ algorithm, limit: 100, windowMs: 60_000 }],
      });
      assert.equal((await commit(await idOf(50), 150)).status, 200);
      assert.equal(await left(), 0);
      assert.equal((await plane.verdict({ ...ANN, cost: 0 })).success, false, 'what is owed is owed');
      assert.equal(
        (await commit(await idOf(0).catch(() => ''), 1)).status,
        404,
        'and nothing can be reserved',
      );
    });
  }

  test('what is given back is given back into the same window only', async (t) => {
    const { plane, idOf, commit, left } = await startReserving(t);
    plane.nowMs = Math.ceil(plane.nowMs / 60_000) * 60_000 + 50_000;
    const id = await idOf(40);
    plane.nowMs += 20_000;
    await plane.verdict({ ...ANN, cost: 5 });
    await commit(id, 0);
    assert.equal(await left(), 95, 'the next window owes it nothing');
  });

  test('of a bucket no more comes back than has not drained since: others’ use is not forgotten', async (t) => {
    const { plane, idOf, commit, left } = await startReserving(t, {
      limits: [{ algorithm: 'gcra', limit: 10, windowMs: 10_000 }],
    });
    const id = await idOf(10);
    plane.nowMs += 10_000; // drained
    await plane.verdict({ ...ANN, cost: 5 });
    await commit(id, 0);
    assert.equal(await left(), 5);
  });

  test('one that runs out no longer counts; a late commit charges the real cost, and says so', async (t) => {
    const { plane, idOf, commit, left } = await startReserving(t, {
      quotas: [{ limit: 100, period: 'month' }],
    });
    const id = await idOf(40, { ttlMs: 5000 });
    plane.nowMs += 4999;
    assert.equal(await left(), 60);
    plane.nowMs += 1;
    assert.equal(await left(), 100);
    assert.deepEqual(JSON.parse((await commit(id, 30)).body), { id, reserved: 40, cost: 30, late: true });
    assert.equal(await left(), 70);
  });

  test('a second commit repeats the first answer and charges nothing', async (t) => {
    const { idOf, commit, drop, left } = await startReserving(t);
    const id = await idOf(40);
    const first = await commit(id, 10);
    assert.equal((await commit(id, 99)).body, first.body);
    assert.equal((await drop(id)).status, 204);
    assert.equal((await commit(id, 10)).body, first.body);
    assert.equal(await left(), 90);
  });

  test('a dropped one counts no more, and dropping twice is no error', async (t) => {
    const { idOf, drop, left } = await startReserving(t);
    const id = await idOf(40);
    for (let round = 0; round < 2; round++) {
      assert.equal((await drop(id)).status, 204);
      assert.equal(await left(), 100);
    }
  });

  test('a retry under the same request id gets the same reservation and counts once', async (t) => {
    const { reserve, left } = await startReserving(t);
    const first = await reserve(40, { requestId: 'r1' });
    assert.deepEqual(await reserve(40, { requestId: 'r1' }), first);
    assert.equal(await left(), 60);
  });

  test('several limits and quotas are reserved and settled together', async (t) => {
    const { plane, idOf, commit } = await startReserving(t, {
      limits: [{ algorithm: 'sliding_log', limit: 50, windowMs: 60_000 }],
      quotas: [{ limit: 100, period: 'day' }],
    });
    const id = await idOf(40);
    await commit(id, 15);
    const { limits } = await plane.verdict(ANN, '/v1/peek');
    assert.deepEqual(
      limits.map(({ remaining }) => remaining),
      [35, 85],
    );
  });

  const hour = { limits: [{ algorithm: 'fixed_window', limit: 20, windowMs: 3_600_000 }] };
  for (const [change, other] of [
    ['window', { limits: [{ algorithm: 'fixed_window', limit: 20, windowMs: 7_200_000 }] }],
    ['algorithm', { limits: [{ algorithm: 'gcra', limit: 20, windowMs: 3_600_000 }] }],
  ] as const) {
    test(`a changed ${change} starts afresh: nothing is given back that was not counted there`, async (t) => {
      const { plane, idOf, commit, left } = await startReserving(t, hour);
      const [dropped, used] = [await idOf(10), await idOf(10)];
      plane.setNamespace('tokens', other);
      for (let passed = 0; passed < 15; passed++) assert.equal((await plane.verdict(ANN)).success, true);
      await commit(dropped, 0);
      assert.equal(await left(), 5);
      await commit(used, 3);
      assert.equal(await left(), 2, 'what is really used is charged to the new count');
    });
  }

  test('nor after the rule has been changed back, when others have used the fresh count', async (t) => {
    const { plane, idOf, commit, left } = await startReserving(t, hour);
    const id = await idOf(10);
    plane.setNamespace('tokens', { limits: [{ algorithm: 'gcra', limit: 20, windowMs: 3_600_000 }] });
    await plane.verdict(ANN);
    plane.setNamespace('tokens', hour);
    await plane.verdict({ ...ANN, cost: 15 });
    await commit(id, 0);
    assert.equal(await left(), 5);
  });

  test('a reset forgets them', async (t) => {
    const { plane, idOf, commit } = await startReserving(t);
    const id = await idOf(40);
    const key = plane.addKey({ scopes: ['reset'] });
    assert.equal((await plane.post('/v1/reset', ANN, { 'x-api-key': key })).status, 204);
    assert.deepEqual(problemIn(await commit(id, 1)), { status: 404, code: 'unknown_reservation' });
  });

  test('an identifier has at most 1,000 of them', async (t) => {
    const { plane, reserve } = await startReserving(t, window(1_000_000));
    for (let made = 0; made < 1000; made += 100) {
      await Promise.all(Array.from({ length: 100 }, () => reserve(1)));
    }
    const answer = await plane.post('/v1/reservations', { ...ANN, cost: 1 });
    assert.deepEqual([answer.status, problemIn(answer).code], [409, 'reservations_full']);
    assert.equal((await plane.verdict(ANN)).remaining, 1_000_000 - 1001, 'a plain check still passes');
  });

  test('ids that were never given, and bad costs and times, are refused by name', async (t) => {
    const { plane, idOf, commit } = await startReserving(t);
    const id = await idOf(5);
    for (const unknown of ['x', `${id}x`, id.replace('rsv', 'lse')]) {
      assert.deepEqual(problemIn(await commit(unknown, 1)), { status: 404, code: 'unknown_reservation' });
    }
    for (const cost of [-1, 1.5, '1', null, 2 ** 53]) {
      const answer = await plane.post(`/v1/reservations/${id}/commit`, { cost });
      assert.deepEqual([answer.status, problemIn(answer).field], [400, 'cost']);
    }
    for (const ttlMs of [999, 86_400_001, '5000']) {
      const answer = await plane.post('/v1/reservations', { ...ANN, cost: 1, ttlMs });
      assert.deepEqual([answer.status, problemIn(answer).field], [400, 'ttlMs']);
    }
  });
});
