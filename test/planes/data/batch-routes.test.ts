import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verdict } from '../../../src/limiter/verdict.ts';
import { type PlaneHarness, problemIn, startPlane, window } from './plane-harness.ts';

const ANN = { namespace: 'api', identifier: 'ann' };
const BOB = { namespace: 'api', identifier: 'bob' };

interface Batch {
  readonly success: boolean;
  readonly verdicts: readonly Verdict[];
}

async function batch(plane: PlaneHarness, checks: readonly object[], more: object = {}): Promise<Batch> {
  const { status, body } = await plane.post('/v1/limit/batch', { checks, ...more });
  assert.equal(status, 200, body);
  return JSON.parse(body) as Batch;
}

test('each check has its own verdict, in the order of the checks', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(3), login: window(1) } });
  const { success, verdicts } = await batch(plane, [
    { ...ANN, cost: 2 },
    { namespace: 'login', identifier: 'ann' },
    { ...ANN, cost: 2 },
    BOB,
  ]);
  assert.equal(success, false);
  assert.deepEqual(
    verdicts.map(({ namespace, identifier, success: passes, remaining }) => [
      namespace,
      identifier,
      passes,
      remaining,
    ]),
    [
      ['api', 'ann', true, 1],
      ['login', 'ann', true, 0],
      ['api', 'ann', false, 1],
      ['api', 'bob', true, 2],
    ],
  );
  assert.equal((await batch(plane, [BOB, BOB])).success, true);
});

test('an identifier that is there many times is counted exactly', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(70) } });
  const { verdicts } = await batch(plane, Array(200).fill(ANN));
  assert.deepEqual(
    verdicts.map(({ success }) => success),
    [...Array(70).fill(true), ...Array(130).fill(false)],
  );
  assert.equal(verdicts[69]?.remaining, 0);
});

test('1000 checks are taken and 1001 refused; 100 and 101 where atomic', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10_000) } });
  assert.equal((await batch(plane, Array(1000).fill(ANN))).verdicts.length, 1000);
  assert.equal((await batch(plane, Array(100).fill(ANN), { atomic: true })).verdicts.length, 100);
  for (const body of [
    { checks: Array(1001).fill(ANN) },
    { checks: Array(101).fill(ANN), atomic: true },
    { checks: [] },
  ]) {
    const { status, field } = problemIn(await plane.post('/v1/limit/batch', body));
    assert.deepEqual([status, field], [400, 'checks']);
  }
  assert.equal(await plane.remaining('api', 'ann'), 8900);
});

test('one faulty entry refuses the whole batch and is named, and nothing is counted', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10), ip: window(10, { kind: 'ip' }) } });
  const faults: [object, number, string][] = [
    [{ namespace: 'none', identifier: 'a' }, 404, 'checks[7].namespace'],
    [{ namespace: 'api', identifier: '' }, 400, 'checks[7].identifier'],
    [{ namespace: 'ip', identifier: 'ann' }, 400, 'checks[7].identifier'],
    [{ ...ANN, cost: -1 }, 400, 'checks[7].cost'],
    [{ ...ANN, cost: 1.5 }, 400, 'checks[7].cost'],
    [{ ...ANN, requestId: 'é' }, 400, 'checks[7].requestId'],
    [{ ...ANN, key: 'k' }, 400, 'checks[7].key'],
    [{ identifier: 'ann' }, 400, 'checks[7].namespace'],
  ];
  for (const [fault, status, field] of faults) {
    for (const atomic of [false, true]) {
      const answer = await plane.post('/v1/limit/batch', { checks: [...Array(7).fill(ANN), fault], atomic });
      const problem = problemIn(answer);
      assert.deepEqual([problem.status, problem.field], [status, field], answer.body);
    }
  }
  for (const body of [{}, { checks: ANN }, { checks: [ANN], atomic: 1 }, { checks: [ANN], peek: true }]) {
    assert.equal((await plane.post('/v1/limit/batch', body)).status, 400);
  }
  assert.equal(await plane.remaining('api', 'ann'), 10);
});

test('atomic: all are counted or none, and those that are held back show how they stand', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(3) } });
  const { success, verdicts } = await batch(plane, [ANN, { ...BOB, cost: 4 }, ANN], { atomic: true });
  assert.equal(success, false);
  assert.deepEqual(
    verdicts.map(({ success: passes, reason, remaining, retryAfter }) => [
      passes,
      reason,
      remaining,
      retryAfter,
    ]),
    [
      [false, null, 3, null],
      [false, 'impossible', 3, null],
      [false, null, 3, null],
    ],
  );
  assert.equal(await plane.remaining('api', 'ann'), 3);

  const whole = await batch(plane, [ANN, BOB, { ...ANN, cost: 2 }], { atomic: true });
  assert.deepEqual([whole.success, whole.verdicts.map(({ remaining }) => remaining)], [true, [2, 2, 0]]);
});

test('atomic: what one identifier asks for several times must pass together', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(3) } });
  const { success, verdicts } = await batch(plane, [ANN, ANN, ANN, ANN], { atomic: true });
  assert.equal(success, false);
  assert.deepEqual(
    verdicts.map(({ reason }) => reason),
    [null, null, null, 'limit'],
  );
  assert.equal(await plane.remaining('api', 'ann'), 3);
});

test('request ids count in a batch as in a single check', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const checks = [
    { ...ANN, requestId: 'a' },
    { ...ANN, requestId: 'a' },
    { ...ANN, requestId: 'b' },
  ];
  const first = await batch(plane, checks);
  assert.deepEqual(await batch(plane, checks), first);
  assert.deepEqual(await batch(plane, checks, { atomic: true }), first);
  assert.equal(await plane.remaining('api', 'ann'), 8);

  const reused = await plane.post('/v1/limit/batch', { checks: [BOB, { ...ANN, cost: 2, requestId: 'b' }] });
  const { status, code, field } = problemIn(reused);
  assert.deepEqual([status, code, field], [409, 'request_id_reused', 'checks[1].requestId']);

  const keyed = await plane.post('/v1/limit/batch', { checks: [ANN] }, { 'idempotency-key': 'a' });
  assert.deepEqual([keyed.status, problemIn(keyed).field], [400, 'Idempotency-Key']);
  assert.equal(await plane.remaining('api', 'ann'), 8);
});

test('a batch may be 1 MiB, any other body 64 KiB', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const padded = (bytes: number, json: object) => JSON.stringify(json).padEnd(bytes, ' ');
  const cases: [string, number, object, number][] = [
    ['/v1/limit/batch', 1_048_576, { checks: [ANN] }, 200],
    ['/v1/limit/batch', 1_048_577, { checks: [ANN] }, 413],
    ['/v1/limit', 65_536, ANN, 200],
    ['/v1/limit', 65_537, ANN, 413],
    ['/v1/peek', 65_537, ANN, 413],
    ['/v1/reset', 65_537, ANN, 413],
  ];
  const key = plane.addKey({ scopes: ['limit', 'peek', 'reset'] });
  for (const [path, bytes, json, status] of cases) {
    const answer = await plane.post(path, padded(bytes, json), { 'x-api-key': key });
    assert.deepEqual([path, bytes, answer.status], [path, bytes, status]);
  }
});

test('a batch needs the scope limit', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const key = plane.addKey({ scopes: ['peek', 'reset'] });
  const answer = await plane.post('/v1/limit/batch', { checks: [ANN] }, { 'x-api-key': key });
  assert.deepEqual(problemIn(answer), { status: 403, code: 'forbidden_scope' });
});
