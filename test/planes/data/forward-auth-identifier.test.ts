import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOGIN_SPELLINGS } from '../../support/login-spellings.ts';
import { problemIn, reasonedStatus, startPlane, window } from './plane-harness.ts';

const NGINX = '/v1/auth/nginx/';
const FORWARD = '/v1/auth/forward/';
const CLIENT = { 'x-forwarded-for': '203.0.113.1' };

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

test('identifyBy key counts by the id of the key', async (t) => {
  const plane = await startPlane(t, { namespaces: { key: window(5, { identifyBy: 'key' }) } });
  await plane.ask(`${FORWARD}key`);
  assert.equal(plane.checks[0]?.identifier, 'key_1');
});

test('B43: identifyBy path gives every spelling of a path the same bucket', async (t) => {
  const plane = await startPlane(t, { namespaces: { path: window(100, { identifyBy: 'path' }) } });
  const spellings = [...LOGIN_SPELLINGS, '/a/../login', '/login#x'];
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
    assert.deepEqual(reasonedStatus(inUrl), [403, 'unknown_namespace']);
    assert.equal(inUrl.headers['x-evil'], undefined);
  }
});
