import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { defaultScopes } from '../../../src/tenancy/api-key.ts';
import { problemIn, startPlane, window } from './plane-harness.ts';

const ANN = { namespace: 'api', identifier: 'ann' };

test('a reset forgets limits, quotas and request ids of one identifier, and is 204', async (t) => {
  const rule = window(5, { quotas: [{ limit: 5, period: 'never' }] });
  const plane = await startPlane(t, { namespaces: { api: rule, login: window(5) } });
  const key = { 'x-api-key': plane.addKey({ scopes: ['reset'] }) };
  const check = { ...ANN, cost: 5, requestId: 'r1' };
  for (const asked of [check, { ...check, identifier: 'bob' }, { ...check, namespace: 'login' }]) {
    assert.equal((await plane.verdict(asked)).success, true);
  }

  for (let time = 0; time < 2; time++) {
    const answer = await plane.post('/v1/reset', ANN, key);
    assert.deepEqual([answer.status, answer.body], [204, '']);
  }
  assert.equal(await plane.remaining('api', 'ann'), 5);
  assert.equal(await plane.remaining('api', 'bob'), 0);
  assert.equal(await plane.remaining('login', 'ann'), 0);

  assert.equal((await plane.verdict(check)).success, true);
  assert.equal(await plane.remaining('api', 'ann'), 0);
});

test('the identifier is the canonical one', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1, { kind: 'ip' }) } });
  await plane.verdict({ namespace: 'api', identifier: '2001:db8::1' });
  const key = plane.addKey({ scopes: ['reset'] });
  const answer = await plane.post(
    '/v1/reset',
    { namespace: 'api', identifier: '2001:DB8:0:0:f::9' },
    { 'x-api-key': key },
  );
  assert.equal(answer.status, 204);
  assert.equal(await plane.remaining('api', '2001:db8::1'), 1);
});

test('a key needs the scope reset, which a publishable one does not get by itself', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  await plane.verdict(ANN);
  for (const key of [plane.key, plane.addKey({ scopes: defaultScopes('publishable') })]) {
    const answer = await plane.post('/v1/reset', ANN, { 'x-api-key': key });
    assert.deepEqual(problemIn(answer), { status: 403, code: 'forbidden_scope' });
  }
  assert.equal(await plane.remaining('api', 'ann'), 0);
  const service = plane.addKey({ scopes: defaultScopes('service') });
  assert.equal((await plane.post('/v1/reset', ANN, { 'x-api-key': service })).status, 204);
});

test('what can not be reset is refused by name', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  const headers = { 'x-api-key': plane.addKey({ scopes: ['reset'] }) };
  const cases: [object, number, string][] = [
    [{ ...ANN, namespace: 'none' }, 404, 'namespace'],
    [{ ...ANN, identifier: '' }, 400, 'identifier'],
    [{ ...ANN, cost: 1 }, 400, 'cost'],
    [{ namespace: 'api' }, 400, 'identifier'],
  ];
  for (const [body, status, field] of cases) {
    const problem = problemIn(await plane.post('/v1/reset', body, headers));
    assert.deepEqual([problem.status, problem.field], [status, field]);
  }
  const foreign = { 'x-api-key': plane.addKey({ scopes: ['reset'], projectId: 'prj_2' }) };
  assert.equal((await plane.post('/v1/reset', ANN, foreign)).status, 404);
});

test('where the counters do not answer, a reset is 503 and not a pretence', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  plane.reset = () => Promise.reject(new BrumeError('counters_unavailable'));
  const headers = { 'x-api-key': plane.addKey({ scopes: ['reset'] }) };
  const answer = await plane.post('/v1/reset', ANN, headers);
  assert.deepEqual(problemIn(answer), { status: 503, code: 'counters_unavailable' });
});
