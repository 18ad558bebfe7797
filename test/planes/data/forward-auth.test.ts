import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { METHODS, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HttpAnswer } from '../../support/http-call.ts';
import { problemIn, startPlane, unavailable, window } from './plane-harness.ts';

const NGINX = '/v1/auth/nginx/';
const FORWARD = '/v1/auth/forward/';
const CLIENT = { 'x-forwarded-for': '203.0.113.1' };

function outcome(answer: HttpAnswer): [number, string | undefined] {
  return [answer.status, answer.headers['x-brume-reason'] as string | undefined];
}

test('nginx gets 200 or 403 with the reason, and the headers of the verdict either way', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  const allowed = await plane.ask(`${NGINX}api`, CLIENT);
  assert.deepEqual(outcome(allowed), [200, undefined]);
  assert.equal(allowed.headers['x-ratelimit-remaining'], '0');
  assert.equal(allowed.body, '');
  const denied = await plane.ask(`${NGINX}api`, CLIENT);
  assert.deepEqual(outcome(denied), [403, 'limit']);
  assert.match(String(denied.headers['retry-after']), /^[1-9]\d*$/);
  assert.match(String(denied.headers.ratelimit), /^"default";r=0;t=\d+$/);
  assert.equal(denied.headers['content-type']?.startsWith('application/problem+json'), true);
});

test('every refusal of the nginx call is 403 with a reason that its snippet knows', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(1), user: window(1, { identifyBy: 'header:X-User' }) },
  });
  const noKey = plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': [] });
  assert.deepEqual(outcome(await noKey), [403, 'unauthorized']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': '' })), [
    403,
    'unauthorized',
  ]);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': 'x' })), [
    403,
    'unauthorized',
  ]);
  const scopeless = plane.addKey({ scopes: ['peek'] });
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-key': scopeless })), [
    403,
    'unauthorized',
  ]);
  const twice = { ...CLIENT, 'x-brume-key': [plane.key, plane.key] };
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, twice)), [403, 'bad_request']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}other`, CLIENT)), [403, 'unknown_namespace']);
  assert.deepEqual(outcome(await plane.ask(NGINX, CLIENT)), [403, 'unknown_namespace']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}%zz`, CLIENT)), [403, 'bad_request']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api/%zz`, CLIENT)), [403, 'bad_request']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`)), [403, 'bad_request']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}user`)), [403, 'bad_request']);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-cost': '-1' })), [
    403,
    'bad_request',
  ]);
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, { ...CLIENT, 'x-brume-cost': '2' })), [
    403,
    'limit',
  ]);
  plane.keyFault = unavailable;
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, CLIENT)), [403, 'store_unavailable']);
  plane.keyFault = new Error('a fault nobody foresaw');
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, CLIENT)), [403, 'store_unavailable']);
});

test('the forward call answers 200 and 429, and faults of configuration as problems', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  assert.deepEqual(outcome(await plane.ask(`${FORWARD}api`, CLIENT)), [200, undefined]);
  const denied = await plane.ask(`${FORWARD}api`, CLIENT);
  assert.deepEqual(outcome(denied), [429, 'limit']);
  assert.deepEqual(problemIn(denied), { status: 429, code: 'limit' });
  assert.equal(denied.body.includes('203.0.113.1'), false);
  assert.notEqual(denied.headers['retry-after'], undefined);

  const unauthorized = await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-key': 'x' });
  assert.deepEqual(problemIn(unauthorized), { status: 401, code: 'unauthorized' });
  assert.equal((await plane.ask(`${FORWARD}other`, CLIENT)).status, 404);
  assert.deepEqual(problemIn(await plane.ask(`${FORWARD}api`)).field, 'X-Forwarded-For');
  const scopeless = plane.addKey({ scopes: [] });
  assert.equal((await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-key': scopeless })).status, 403);
});

test('a degraded verdict shows in the header; a closed namespace gives 403 to nginx and 503 to the others', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  const degraded = {
    success: true,
    namespace: 'api',
    identifier: '203.0.113.1',
    limit: null,
    remaining: null,
    reset: null,
    retryAfter: null,
    delayMs: 0,
    reason: null,
    degraded: true,
    limits: [],
    shadow: [],
    requestId: null,
  };
  plane.judge = async () => degraded;
  const open = await plane.ask(`${FORWARD}api`, CLIENT);
  assert.deepEqual([open.status, open.headers['x-brume-ratelimit-degraded']], [200, 'true']);
  for (const name of Object.keys(open.headers)) assert.equal(/^(x-)?ratelimit/.test(name), false, name);

  plane.judge = async () => ({ ...degraded, success: false, reason: 'store_unavailable' });
  const forward = await plane.ask(`${FORWARD}api`, CLIENT);
  assert.deepEqual(outcome(forward), [503, 'store_unavailable']);
  assert.equal(forward.headers['x-brume-ratelimit-degraded'], 'true');
  assert.deepEqual(outcome(await plane.ask(`${NGINX}api`, CLIENT)), [403, 'store_unavailable']);
});

test('headers of the application are ignored, whatever they hold', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const answer = await plane.ask(`${FORWARD}api?apikey=x&cost=9`, {
    ...CLIENT,
    authorization: 'Bearer someone-elses',
    apikey: 'x',
    'x-api-key': 'y',
    'idempotency-key': 'z',
    'content-type': 'not a type at all',
    'x-real-ip': '198.51.100.7',
    forwarded: 'for=198.51.100.7',
  });
  assert.deepEqual([answer.status, answer.headers['x-ratelimit-remaining']], [200, '9']);
  const instead = {
    ...CLIENT,
    'x-brume-key': [],
    'x-api-key': plane.key,
    authorization: `Bearer ${plane.key}`,
  };
  assert.equal((await plane.ask(`${FORWARD}api`, instead)).status, 401);
});

test('any method is answered, HEAD and those of WebDAV too', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1000) } });
  for (const call of [NGINX, FORWARD]) {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const answer = await plane.ask(`${call}api`, CLIENT, { method });
      assert.deepEqual([method, answer.status, answer.body], [method, 200, '']);
    }
  }
});

test('a request that would upgrade the connection is judged like any other', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1000) } });
  const answer = await plane.ask(`${NGINX}api`, { ...CLIENT, connection: 'upgrade', upgrade: 'websocket' });
  assert.equal(answer.status, 200);
});

test('the cost comes in X-Brume-Cost, as decimal digits and nothing else', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  for (const cost of [
    '-1',
    '-1000000000',
    '1.5',
    'NaN',
    '1e3',
    '0x10',
    '9223372036854775808',
    'true',
    '[1]',
    '+1',
    '01',
    ' ',
    '9007199254740992',
    '９',
    '1, 1',
  ]) {
    const value = Buffer.from(cost, 'utf8').toString('latin1');
    const answer = await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-cost': value });
    const { status, code, field } = problemIn(answer);
    assert.deepEqual([cost, status, code, field], [cost, 400, 'bad_request', 'X-Brume-Cost']);
  }
  const repeated = await plane.ask(`${FORWARD}api`, { ...CLIENT, 'x-brume-cost': ['0', '0'] });
  assert.equal(problemIn(repeated).field, 'X-Brume-Cost');
  assert.equal(await plane.remaining('api', '203.0.113.1'), 10);
  const left = async (cost?: string) =>
    (await plane.ask(`${FORWARD}api`, { ...CLIENT, ...(cost !== undefined && { 'x-brume-cost': cost }) }))
      .headers['x-ratelimit-remaining'];
  assert.deepEqual([await left('4'), await left('0'), await left()], ['6', '6', '5']);
});

test('B38: a peer that is no listed proxy is counted by its own address, whatever it forwards', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { trustedProxies: ['10.0.0.0/8'] },
  });
  for (let time = 1; time <= 6; time++) {
    const answer = await plane.ask(`${FORWARD}api`, {
      'x-forwarded-for': `203.0.113.${time}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'other.example',
      'x-forwarded-port': '443',
    });
    assert.equal(answer.status, time <= 5 ? 200 : 429);
  }
  assert.deepEqual(new Set(plane.checks.map((check) => check.identifier)), new Set(['127.0.0.1']));
});

test('B38: two clients behind one proxy have two buckets', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  for (const client of ['203.0.113.1', '203.0.113.9']) {
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++) {
      statuses.push((await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': client })).status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  }
});

test('B39: a forged first entry gives no bucket of its own, in one line, two lines or a list of 200', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { one: window(5), two: window(5), long: window(5), chain: window(5) },
  });
  const forms: Record<string, (forged: string) => string | string[]> = {
    one: (forged) => `${forged}, 203.0.113.1`,
    two: (forged) => [forged, '203.0.113.1'],
    long: (forged) =>
      [...Array(199).keys()]
        .map((part) => `198.51.${part}.${forged.split('.')[3]}`)
        .join(',')
        .concat(',203.0.113.1'),
    chain: (forged) => [`${forged},203.0.113.1`, '10.1.1.1', '10.2.2.2, 127.0.0.1'],
  };
  for (const [namespace, form] of Object.entries(forms)) {
    const statuses: number[] = [];
    for (let time = 1; time <= 10; time++) {
      statuses.push(
        (await plane.ask(`${FORWARD}${namespace}`, { 'x-forwarded-for': form(`198.51.100.${time}`) })).status,
      );
    }
    assert.deepEqual([namespace, ...statuses], [namespace, 200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  }
});

test('X-Forwarded-For that the walk needs and cannot read is refused, not skipped', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  for (const value of [
    '',
    ' ',
    ',',
    'unknown',
    '_hidden',
    '203.0.113.1, unknown',
    '203.0.113.1,10.0.0.1;',
    '203.0.113',
    '1.2.3.4:99999',
    '::ffff:1.2.3.400',
  ]) {
    const answer = await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': value });
    const { status, field } = problemIn(answer);
    assert.deepEqual([value, status, field], [value, 400, 'X-Forwarded-For']);
  }
  const beyond = await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': 'garbage, 203.0.113.1, 10.0.0.1' });
  assert.equal(beyond.status, 200);
  const local = await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': '10.0.0.7' });
  assert.equal(local.status, 200);
  assert.deepEqual(
    plane.checks.map((check) => check.identifier),
    ['203.0.113.1', '10.0.0.7'],
  );
});

test('B40: an address is one bucket in all its spellings, and IPv6 counts by its prefix', async (t) => {
  const plane = await startPlane(t, { namespaces: { ip: window(5, { kind: 'ip' }), text: window(100) } });
  const ask = async (address: string) =>
    (await plane.ask(`${FORWARD}ip`, { 'x-forwarded-for': address })).status;
  const statuses: number[] = [];
  for (let host = 1; host <= 6; host++) statuses.push(await ask(`2001:db8:1:2::${host}`));
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  assert.equal(await ask('2001:db8:1:3::1'), 200);

  plane.checks.length = 0;
  for (const spelling of ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', '[2001:db8::1]:443', '2001:db8::1%eth0'])
    await ask(spelling);
  assert.equal(new Set(plane.checks.map((check) => check.identifier)).size, 1);
  plane.checks.length = 0;
  for (const spelling of ['::ffff:192.0.2.1', '192.0.2.1', '::FFFF:c000:201', '192.0.2.1:1234'])
    await ask(spelling);
  assert.deepEqual(new Set(plane.checks.map((check) => check.identifier)), new Set(['192.0.2.1']));
  plane.checks.length = 0;
  await ask('::ffff:198.51.100.1');
  assert.equal(plane.checks[0]?.identifier, '198.51.100.1');

  plane.checks.length = 0;
  await plane.ask(`${FORWARD}text`, { 'x-forwarded-for': '2001:DB8:0:0::1' });
  assert.equal(plane.checks[0]?.identifier, '2001:db8::1');
});

test('B41: a missing, empty, blank or repeated identifier header is refused, never a shared bucket', async (t) => {
  const plane = await startPlane(t, { namespaces: { user: window(5, { identifyBy: 'header:X-User' }) } });
  const given: (string | string[])[] = [
    [],
    '',
    '   ',
    ['a', 'a'],
    ['a', ''],
    'x'.repeat(513),
    'tab\tin it',
    'M\xfcller',
  ];
  for (const value of given) {
    const answer = await plane.ask(`${FORWARD}user`, { 'x-user': value });
    const { status, field } = problemIn(answer);
    assert.deepEqual([value, status, field], [value, 400, 'x-user']);
  }
  assert.equal(plane.checks.length, 0);
  for (const user of ['ann', 'ben'])
    assert.equal((await plane.ask(`${FORWARD}user`, { 'x-user': user })).status, 200);
  assert.deepEqual(
    plane.checks.map((check) => check.identifier),
    ['ann', 'ben'],
  );
});

test('an identifier header counts from a listed proxy only', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { user: window(5, { identifyBy: 'header:X-User' }), path: window(5, { identifyBy: 'path' }) },
    config: { trustedProxies: ['10.0.0.0/8'] },
  });
  assert.equal(problemIn(await plane.ask(`${FORWARD}user`, { 'x-user': 'ann' })).field, 'x-user');
  assert.equal(
    problemIn(await plane.ask(`${FORWARD}path`, { 'x-forwarded-uri': '/a' })).field,
    'X-Forwarded-Uri',
  );
});

test('underscore twins of headers that count are ignored', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(5), user: window(5, { identifyBy: 'header:X-User' }) },
  });
  const twins = { x_forwarded_for: '198.51.100.1', x_user: 'eve', x_brume_cost: '5', x_brume_key: 'x' };
  const answer = await plane.ask(`${FORWARD}api`, { ...CLIENT, ...twins });
  assert.equal(answer.headers['x-ratelimit-remaining'], '4');
  assert.equal(plane.checks[0]?.identifier, '203.0.113.1');
  assert.equal((await plane.ask(`${FORWARD}user`, twins)).status, 400);
});

test('a peer on the Unix socket may state client addresses', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'brume-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const socketPath = join(directory, 'data.sock');
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { trustedProxies: [] },
    socketPath,
  });
  const status = await new Promise<number>((resolve, reject) => {
    request(
      { socketPath, path: `${FORWARD}api`, headers: { ...CLIENT, 'x-brume-key': plane.key }, agent: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end();
  });
  assert.deepEqual([status, plane.checks[0]?.identifier], [200, '203.0.113.1']);
});

test('identifyBy key counts by the id of the key', async (t) => {
  const plane = await startPlane(t, { namespaces: { key: window(5, { identifyBy: 'key' }) } });
  await plane.ask(`${FORWARD}key`);
  assert.equal(plane.checks[0]?.identifier, 'key_1');
});

test('B43: identifyBy path gives every spelling of a path the same bucket', async (t) => {
  const plane = await startPlane(t, { namespaces: { path: window(100, { identifyBy: 'path' }) } });
  const spellings = [
    '/login',
    '/login/',
    '//login',
    '/LOGIN',
    '/%6Cogin',
    '/./login',
    '/login?x=1',
    '/login;v=1',
    '/a/../login',
    '/login#x',
  ];
  for (const spelling of spellings) {
    assert.equal((await plane.ask(`${NGINX}path`, { 'x-original-uri': spelling })).status, 200, spelling);
    assert.equal((await plane.ask(`${FORWARD}path`, { 'x-forwarded-uri': spelling })).status, 200, spelling);
    assert.equal((await plane.ask(`${FORWARD}path`, { 'x-original-uri': spelling })).status, 200, spelling);
    if (!spelling.includes('#'))
      assert.equal((await plane.ask(`${FORWARD}path${spelling}`)).status, 200, spelling);
  }
  assert.deepEqual(new Set(plane.checks.map((check) => check.identifier)), new Set(['/login']));
});

test('a path that is missing, none, repeated or contradicted is refused', async (t) => {
  const plane = await startPlane(t, { namespaces: { path: window(100, { identifyBy: 'path' }) } });
  const refused = async (path: string, headers: Record<string, string | string[]>) => {
    const answer = await plane.ask(path, headers);
    assert.equal(answer.status === 400 || answer.headers['x-brume-reason'] === 'bad_request', true, path);
  };
  await refused(`${NGINX}path`, {});
  await refused(`${NGINX}path`, { 'x-forwarded-uri': '/a' });
  await refused(`${NGINX}path`, { 'x-original-uri': 'login' });
  await refused(`${NGINX}path`, { 'x-original-uri': '' });
  await refused(`${NGINX}path`, { 'x-original-uri': ['/a', '/a'] });
  await refused(`${FORWARD}path`, { 'x-forwarded-uri': '/a', 'x-original-uri': '/b' });
  await refused(`${FORWARD}path/b`, { 'x-forwarded-uri': '/a' });
  assert.equal(plane.checks.length, 0);
  await plane.ask(`${NGINX}path`, { 'x-original-uri': '/a', 'x-forwarded-uri': '/forged' });
  assert.equal(plane.checks[0]?.identifier, '/a');
});

test('B42: names outside ASCII never become a 500 or a header of their own', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(100), user: window(100, { identifyBy: 'header:X-User' }) },
  });
  const names = ['Müller', 'Łódź', '用户🙂', 'x'.repeat(300), 'caf\u00e9', 'cafe\u0301'];
  for (const name of names) {
    const posted = await plane.post('/v1/limit', { namespace: 'api', identifier: name });
    assert.deepEqual([posted.status, JSON.parse(posted.body).identifier], [200, name]);
    const header = Buffer.from(name, 'utf8').toString('latin1');
    const asked = await plane.ask(`${NGINX}user`, { 'x-user': header });
    assert.equal(asked.status, 200);
    assert.equal(plane.checks.at(-1)?.identifier, name, 'the same in a header as in a body');
    for (const answer of [posted, asked]) {
      for (const text of answer.rawHeaders) assert.match(text, /^[\x20-\x7e]*$/);
    }
    const unknown = await plane.post('/v1/limit', { namespace: name, identifier: 'a' });
    assert.equal(unknown.status, 404);
    assert.equal(
      (await plane.ask(`${NGINX}${encodeURIComponent(name)}`, CLIENT)).headers['x-brume-reason'],
      'unknown_namespace',
    );
  }
  assert.notEqual(names[4], names[5]);
  assert.equal(await plane.remaining('api', 'caf\u00e9'), 99);

  for (const name of ['a\r\nX-Evil: 1', 'nul\u0000', '\ud800']) {
    const answer = await plane.post('/v1/limit', { namespace: 'api', identifier: name });
    assert.equal(answer.status, 400);
    assert.equal(answer.headers['x-evil'], undefined);
    const inUrl = await plane.ask(`${NGINX}${encodeURI(name.toWellFormed())}`, CLIENT);
    assert.deepEqual(outcome(inUrl), [403, 'unknown_namespace']);
    assert.equal(inUrl.headers['x-evil'], undefined);
  }
});
