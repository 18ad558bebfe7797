import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../../support/http-call.ts';
import { problemIn, startPlane, window } from './plane-harness.ts';

const BODY = { namespace: 'api', identifier: 'ann' };

test('B53: whatever is wrong with a key, the answer is the same 401', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const expired = plane.addKey({ expiresAtMs: plane.nowMs });
  const revoked = plane.addKey({ revokedAtMs: plane.nowMs - 1 });
  const high = Buffer.from(Array.from({ length: plane.key.length }, (_, at) => 0x80 + (at % 0x80)));
  const bad = [
    high.toString('latin1'),
    '',
    'x'.repeat(8192),
    `${plane.key.slice(0, -1)}${plane.key.endsWith('A') ? 'B' : 'A'}`,
    `brume_xx_${plane.key.slice(9)}`,
    plane.key.slice(0, -1),
    `${plane.key} ${plane.key}`,
    plane.key.toUpperCase(),
    expired,
    revoked,
    'é'.repeat(plane.key.length),
  ];
  const answers = new Set<string>();
  for (const key of bad) {
    for (const headers of [
      { 'x-api-key': key },
      { 'x-api-key': [], apikey: key },
      { 'x-api-key': [], authorization: `Bearer ${key}` },
    ]) {
      const answer = await plane.post('/v1/limit', BODY, headers);
      assert.equal(answer.status, 401);
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="brume"');
      answers.add(answer.body);
    }
  }
  const none = await plane.post('/v1/limit', BODY, { 'x-api-key': [] });
  answers.add(none.body);
  assert.equal(answers.size, 1);
  assert.equal(plane.checks.length, 0);
});

test('B53: a wrong key of the right shape takes the same way as one of an unknown shape', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  plane.lookups.length = 0;
  for (const key of [`brume_sk_${'A'.repeat(43)}`, 'nobody-knows-me', 'x'.repeat(8000)]) {
    await plane.post('/v1/limit', BODY, { 'x-api-key': key });
  }
  assert.equal(plane.lookups.length, 3, 'each is looked up by its hash, once');
  for (const hash of plane.lookups) assert.match(hash, /^[0-9a-f]{64}$/);
});

test('a key may come in any of three headers, and two different ones are refused', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(100) } });
  const other = plane.addKey();
  const good: Record<string, string | string[]>[] = [
    { 'x-api-key': plane.key },
    { 'x-api-key': [], apikey: plane.key },
    { 'x-api-key': [], authorization: `bearer  ${plane.key}` },
    { 'x-api-key': plane.key, apikey: plane.key, authorization: `Bearer ${plane.key}` },
    { 'x-api-key': plane.key, authorization: 'Basic dXNlcjpwYXNz' },
  ];
  for (const headers of good) assert.equal((await plane.post('/v1/limit', BODY, headers)).status, 200);
  const bad: Record<string, string | string[]>[] = [
    { 'x-api-key': plane.key, apikey: other },
    { 'x-api-key': plane.key, authorization: `Bearer ${other}` },
    { 'x-api-key': [plane.key, other] },
  ];
  for (const headers of bad) {
    const { status, code, field } = problemIn(await plane.post('/v1/limit', BODY, headers));
    assert.deepEqual([status, code, field], [400, 'bad_request', 'X-API-Key']);
  }
  const inUrl = await call(`${plane.url}/v1/limit?apikey=${plane.key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(BODY),
  });
  assert.equal(inUrl.status, 401);
});

test('a key that expires is refused from that moment on, also out of a cache', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const key = plane.addKey({ expiresAtMs: plane.nowMs + 1 });
  assert.equal((await plane.post('/v1/limit', BODY, { 'x-api-key': key })).status, 200);
  plane.nowMs += 1;
  assert.equal((await plane.post('/v1/limit', BODY, { 'x-api-key': key })).status, 401);
});
