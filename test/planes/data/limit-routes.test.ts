import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemIn, startPlane, unavailable, window } from './plane-harness.ts';

test('a verdict is 200 whether it allows or denies, with the headers of the contract', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(2) } });

  const first = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.equal(first.status, 200);
  const windowEnd = Math.ceil((plane.nowMs + 1) / 60_000) * 60_000;
  const { reset, ...verdict } = JSON.parse(first.body);
  assert.equal(reset, windowEnd);
  assert.deepEqual(
    {
      success: verdict.success,
      namespace: verdict.namespace,
      identifier: verdict.identifier,
      limit: verdict.limit,
    },
    { success: true, namespace: 'api', identifier: 'ann', limit: 2 },
  );
  assert.equal(verdict.remaining, 1);
  assert.equal(first.headers['x-ratelimit-limit'], '2');
  assert.equal(first.headers['x-ratelimit-remaining'], '1');
  assert.equal(first.headers['x-ratelimit-reset'], String(windowEnd / 1000));
  assert.equal(first.headers['ratelimit-policy'], '"default";q=2;w=60');
  assert.match(String(first.headers.ratelimit), /^"default";r=1;t=\d+$/);
  assert.equal(first.headers['retry-after'], undefined);

  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  const third = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.equal(third.status, 200);
  assert.equal(JSON.parse(third.body).success, false);
  assert.equal(JSON.parse(third.body).reason, 'limit');
  assert.equal(third.headers['retry-after'], String((windowEnd - plane.nowMs) / 1000));
  assert.equal(third.headers['x-ratelimit-remaining'], '0');
});

test('a peek gives the verdict that the check would have, and consumes nothing', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(2) } });
  for (let time = 0; time < 5; time++) assert.equal(await plane.remaining('api', 'ann'), 2);
});

test('a key without the scope is refused, and so is an unknown namespace', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(2) } });
  const peekOnly = plane.addKey({ scopes: ['peek'] });
  const refused = await plane.post(
    '/v1/limit',
    { namespace: 'api', identifier: 'a' },
    { 'x-api-key': peekOnly },
  );
  assert.deepEqual([refused.status, problemIn(refused).code], [403, 'forbidden_scope']);

  for (const namespace of ['other', '', '__proto__', 'API', 'x'.repeat(5000), '\ud800']) {
    const answer = await plane.post('/v1/limit', { namespace, identifier: 'a' });
    assert.deepEqual(problemIn(answer), { status: 404, code: 'unknown_namespace', field: 'namespace' });
  }
  const foreign = plane.addKey({ projectId: 'prj_2' });
  const answer = await plane.post(
    '/v1/limit',
    { namespace: 'api', identifier: 'a' },
    { 'x-api-key': foreign },
  );
  assert.equal(answer.status, 404);
  assert.deepEqual(plane.checks, []);
});

test('where nobody could look the key or the namespace up, the answer is 503 and not a refusal', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(2) } });
  plane.isSnapshotLoaded = false;
  const unloaded = await plane.post('/v1/limit', { namespace: 'api', identifier: 'a' });
  assert.deepEqual(problemIn(unloaded), { status: 503, code: 'not_ready' });
  plane.keyFault = unavailable;
  const unknown = await plane.post('/v1/limit', { namespace: 'api', identifier: 'a' });
  assert.deepEqual(problemIn(unknown), { status: 503, code: 'store_unavailable' });
});

test('B17: a cost that is no integer from 0 to 2^53-1 is refused and changes nothing', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann', cost: 4 });

  const bad = [
    '-1',
    '-1e9',
    '1.5',
    '"NaN"',
    '"1e3"',
    '"0x10"',
    '"1"',
    '9223372036854775808',
    'true',
    '[1]',
    'null',
  ];
  bad.push('9007199254740992', '9007199254740993', '1e400', '-1e400', '{}', '""', '0.1', '1e-1');
  for (const call of ['/v1/limit', '/v1/peek']) {
    for (const cost of bad) {
      const answer = await plane.post(call, `{"namespace":"api","identifier":"ann","cost":${cost}}`);
      const { status, code, field } = problemIn(answer);
      assert.deepEqual([cost, status, code, field], [cost, 400, 'bad_request', 'cost']);
    }
  }
  for (const cost of ['NaN', '0x10', '+1', '01', 'Infinity', '1n']) {
    const answer = await plane.post('/v1/limit', `{"namespace":"api","identifier":"ann","cost":${cost}}`);
    assert.deepEqual([cost, answer.status, problemIn(answer).field], [cost, 400, 'body']);
  }
  assert.equal(await plane.remaining('api', 'ann'), 6);

  const zero = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann', cost: 0 });
  assert.deepEqual([zero.status, JSON.parse(zero.body).remaining], [200, 6]);
  const absent = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann' });
  assert.equal(JSON.parse(absent.body).remaining, 5);
  await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann', cost: 5 });
  const exhausted = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann', cost: 0 });
  assert.deepEqual([JSON.parse(exhausted.body).success, JSON.parse(exhausted.body).remaining], [true, 0]);
  const largest = await plane.post('/v1/limit', { namespace: 'api', identifier: 'ann', cost: 2 ** 53 - 1 });
  assert.deepEqual([largest.status, JSON.parse(largest.body).reason], [200, 'impossible']);
});

test('an identifier that is none is refused with its name, and nothing is counted', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10), ip: window(10, { kind: 'ip' }) } });
  const bad = ['""', '"   "', '"\\t"', `"${'x'.repeat(513)}"`, `"${'é'.repeat(257)}"`, '"a\\u0000b"'];
  bad.push(
    '"a\\r\\nX-Evil: 1"',
    '"\\ud800"',
    '"a\\udc00"',
    '"\\u007f"',
    '"\\u0085"',
    '5',
    'null',
    '["a"]',
    'true',
    '{}',
  );
  for (const identifier of bad) {
    const answer = await plane.post('/v1/limit', `{"namespace":"api","identifier":${identifier}}`);
    const { status, code, field } = problemIn(answer);
    assert.deepEqual([identifier, status, code, field], [identifier, 400, 'bad_request', 'identifier']);
  }
  for (const identifier of ['ann', '1.2.3', '0x7f.1', '1.2.3.4.5', '::g', '127.1', '1.2.3.04', '1.2.3.4/8']) {
    const answer = await plane.post('/v1/limit', { namespace: 'ip', identifier });
    assert.deepEqual([identifier, answer.status, problemIn(answer).field], [identifier, 400, 'identifier']);
  }
  assert.deepEqual(plane.checks, []);
  const longest = await plane.post('/v1/limit', { namespace: 'api', identifier: 'é'.repeat(256) });
  assert.equal(longest.status, 200);
});

test('members that this call does not know are refused, by name', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const good = '"namespace":"api","identifier":"ann"';
  const cases: [string, string][] = [
    [`{${good},"requestid":"1"}`, 'requestid'],
    [`{${good},"Cost":1}`, 'Cost'],
    [`{${good},"constructor":1}`, 'constructor'],
    ['{"identifier":"ann"}', 'namespace'],
    ['{"namespace":"api"}', 'identifier'],
    ['{"namespace":7,"identifier":"ann"}', 'namespace'],
    ['{}', 'namespace'],
    ['[]', 'body'],
    ['null', 'body'],
    ['"api"', 'body'],
    ['', 'body'],
    ['{', 'body'],
    ['{"namespace":"api",}', 'body'],
    [`{${good},"__proto__":{"cost":1}}`, '__proto__'],
    [`{${good},"constructor":{"prototype":{}}}`, 'constructor'],
    [`{${good},"identifier":"bob"}`, 'identifier'],
    [`{${good},"cost":1, "co\\u0073t" : 0}`, 'cost'],
  ];
  for (const [body, field] of cases) {
    const { status, code, field: named } = problemIn(await plane.post('/v1/limit', body));
    assert.deepEqual([body, status, code, named], [body, 400, 'bad_request', field]);
  }
  assert.deepEqual(plane.checks, []);
});

test('a body that is not JSON in UTF-8 is refused, and one that is too large before it is read', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const body = JSON.stringify({ namespace: 'api', identifier: 'ann' });
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'a',
    '',
    'text/json',
  ]) {
    const answer = await plane.post('/v1/limit', body, { 'content-type': type });
    const { status, code, field } = problemIn(answer);
    assert.deepEqual([type, status, code, field], [type, 415, 'unsupported_media_type', 'Content-Type']);
  }
  const packed = await plane.post('/v1/limit', body, { 'content-encoding': 'gzip' });
  assert.deepEqual([packed.status, problemIn(packed).field], [415, 'Content-Encoding']);
  const charset = await plane.post('/v1/limit', body, { 'content-type': 'Application/JSON; charset=utf-8' });
  assert.equal(charset.status, 200);
  for (const type of [
    'charset=latin1',
    'charset="ISO-8859-1"',
    'CharSet = UTF-16',
    'charset=',
    'x=1; charset=utf-7',
  ]) {
    const answer = await plane.post('/v1/limit', body, { 'content-type': `application/json; ${type}` });
    assert.deepEqual([type, answer.status, problemIn(answer).field], [type, 415, 'Content-Type']);
  }

  const latin1 = Buffer.from('{"namespace":"api","identifier":"M\xfcller"}', 'latin1');
  assert.deepEqual(problemIn(await plane.post('/v1/limit', latin1)), {
    status: 400,
    code: 'bad_request',
    field: 'body',
    detail: 'The body is not valid UTF-8.',
  });

  const large = Buffer.alloc(5 * 1024 * 1024, 'x');
  for (const headers of [{ 'content-length': String(large.length) }, { 'transfer-encoding': 'chunked' }]) {
    const answer = await plane.post('/v1/limit', large, headers);
    assert.deepEqual(problemIn(answer), { status: 413, code: 'payload_too_large', field: 'body' });
    assert.equal(answer.headers.connection, 'close');
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  }
  const named = { 'content-encoding': 'br', 'x-request-id': 'from-the-proxy' };
  assert.equal((await plane.post('/v1/limit', body, named)).headers['x-request-id'], 'from-the-proxy');
  assert.equal(plane.checks.length, 1);
  assert.equal(await plane.remaining('api', 'ann'), 9);
});
