import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/config/config-error.ts';
import { redisAccess } from '../../src/config/redis-access.ts';
import { redisAddressOf } from '../../src/stores/redis/redis-address.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { selfSigned } from '../support/tls-identity.ts';
import { faultsOf, load } from './faults-of.ts';

const problemsOf = (env: Record<string, string>) => faultsOf(env).map(({ problem }) => problem);

test('what is taken as a URL of Redis can be read by the stores, and the rest is refused', () => {
  for (const url of [
    'redis://redis.internal',
    'rediss://user:p%40ss@redis.internal:6380/3',
    'redis://[::1]:6379/0',
    'unix:///run/redis/redis.sock',
    'unix:///run/redis/redis.sock?db=2',
    'redis+sentinel://one/mymaster',
    'redis+sentinel://one:26379,[::1]:26380,10.0.0.3/my.master-1/4',
    'rediss+sentinel://user:p%40ss@one,two/m',
    'redis+cluster://one',
    'redis+cluster://one:7000,[::1]:7001,10.0.0.3/',
    'rediss+cluster://user:p%40ss@one,two',
  ]) {
    assert.deepEqual(problemsOf({ BRUME_REDIS_URL: url }), [], url);
    assert.doesNotThrow(() => redisAddressOf(url), url);
  }
  for (const url of [
    'redis+sentinel://one',
    'redis+sentinel://one/',
    'redis+sentinel:///mymaster',
    'redis+sentinel://one,,two/mymaster',
    'redis+sentinel://one:x/mymaster',
    'redis+sentinel://one/mymaster/x',
    'redis+sentinel://one/mymaster/1/2',
    'redis+sentinel://user:p@ss@one/mymaster',
    'redis+sentinel://one/mymaster?db=1',
    'redis+cluster://',
    'redis+cluster://one,,two',
    'redis+cluster://one:x',
    'redis+cluster://one/1',
    'redis+cluster://user:p@ss@one',
    'redis+cluster://one?db=1',
    'sentinel://one/mymaster',
    'unix://redis.sock',
  ]) {
    const problems = problemsOf({ BRUME_REDIS_URL: url });
    assert.equal(problems.length, 1, url);
    assert.ok(!problems.join().includes('p@ss'));
  }
});

test('a query or a fragment that nobody would read is refused, with what would be right', () => {
  const expected: Record<string, RegExp> = {
    'redis://host?db=3': /has a query \(\?db=…\).*as in redis:\/\/redis\.internal:6379\/3/,
    'redis://host:6379/0?database=3': /has a query \(\?database=…\).*\/3/,
    'redis://host?ssl=true': /has a query \(\?ssl=…\).*by rediss:\/\//,
    'redis://host?tls=true': /by rediss:\/\//,
    'redis://host?': /has a query \(\?…\)/,
    'redis://host?timeout=5': /has a query \(\?timeout=…\)/,
    'redis://host#3': /has a fragment \(#…\)/,
    'redis://user?x=hush@host': /must be percent-encoded/,
    'redis://user#hush@host': /must be percent-encoded/,
    'redis+sentinel://one/mymaster?db=3': /redis\+sentinel:\/\/sentinel-1:26379\/mymaster\/3/,
    'rediss+sentinel://one/mymaster#3': /fragment/,
    'redis+sentinel://one/mymaster?ssl=1': /by rediss\+sentinel:\/\//,
    'redis+cluster://one?db=1': /a cluster has only one/,
    'redis+cluster://one?tls=1': /by rediss\+cluster:\/\//,
    'redis+cluster://one?password=hush': /\(\?password=…\), and ends behind its hosts/,
    'unix:///run/redis/redis.sock?database=3': /as in unix:\/\/\/run\/redis\/redis\.sock\?db=3/,
    'unix:///run/redis/redis.sock?db=': /\?db=3/,
    'unix:///run/redis/redis.sock#3': /fragment/,
    'unix:///': /no absolute socket path/,
  };
  for (const [url, problem] of Object.entries(expected)) {
    const problems = problemsOf({ BRUME_REDIS_URL: url });
    assert.equal(problems.length, 1, url);
    assert.match(problems.join(), problem, url);
    assert.doesNotMatch(problems.join(), /hush/);
  }
});

test('an IPv6 address without brackets is told as such, and not as a password', () => {
  for (const url of ['redis://::1:6379', 'redis://:pw@fd00::7', 'redis+cluster://::1:7001,[::1]:7002'])
    assert.match(problemsOf({ BRUME_REDIS_URL: url }).join(), /IPv6 address.*in brackets/, url);
  assert.match(problemsOf({ BRUME_REDIS_URL: 'redis://:a/b:c@host' }).join(), /must be percent-encoded/);
});

test('what is for Sentinels alone is a fault where the URL names none', () => {
  const settings = {
    BRUME_REDIS_SENTINEL_USERNAME: 'brume',
    BRUME_REDIS_SENTINEL_PASSWORD: 'hush',
    BRUME_REDIS_SENTINEL_TLS: 'on',
  };
  for (const url of ['redis://one', 'rediss://one', 'redis+cluster://one,two', 'unix:///run/redis.sock']) {
    const faults = faultsOf({ BRUME_REDIS_URL: url, ...settings });
    assert.deepEqual(
      faults.map(({ variable }) => variable),
      Object.keys(settings),
    );
    assert.doesNotMatch(JSON.stringify(faults), /hush/);
  }
  assert.deepEqual(faultsOf({ BRUME_REDIS_URL: 'redis+sentinel://one/mymaster', ...settings }), []);
  // brume move may give a URL.
  assert.deepEqual(faultsOf(settings), []);
});

test('a URL of a cluster names nodes, and the login and TLS of all of them', () => {
  const { place, login, database } = redisAddressOf('rediss+cluster://user:p%40ss@one,[::1]:7001', {
    tls: { ca: 'CA' },
  });
  const nodes = [
    { host: 'one', port: 6379 },
    { host: '::1', port: 7001 },
  ];
  assert.deepEqual(place, { kind: 'cluster', nodes });
  assert.deepEqual(login, { username: 'user', password: 'p@ss', tls: { ca: 'CA' } });
  assert.equal(database, 0);
});

test('a password or a user in the URL and beside it is a fault, and TLS files without TLS are one', () => {
  const url = (text: string, more: Record<string, string>) => problemsOf({ BRUME_REDIS_URL: text, ...more });
  assert.equal(url('redis://:a@h', { BRUME_REDIS_PASSWORD: 'b' }).length, 1);
  assert.equal(url('redis+sentinel://u@h/m', { BRUME_REDIS_USERNAME: 'b' }).length, 1);
  assert.deepEqual(url('redis://u@h', { BRUME_REDIS_PASSWORD: 'b' }), []);
  assert.equal(url('redis://h', { BRUME_REDIS_TLS_CA: '/ca.crt' }).length, 1);
  assert.deepEqual(url('rediss+sentinel://h/m', { BRUME_REDIS_TLS_CA: '/ca.crt' }), []);
  assert.equal(url('rediss://h', { BRUME_REDIS_TLS_CERT: '/a.crt' }).length, 1);
});

test('TLS files that can not be used are faults of the configuration', (t) => {
  const { certPath, keyPath, cert } = selfSigned(t);
  const nothing = join(temporaryDirectory(t), 'nothing.pem');
  writeFileSync(nothing, 'nothing');
  const access = (env: Record<string, string>) =>
    redisAccess(load({ BRUME_REDIS_URL: 'rediss://h', ...env }));
  assert.deepEqual(access({ BRUME_REDIS_TLS_CA: certPath }).tls, { ca: cert });
  assert.ok(access({ BRUME_REDIS_TLS_CERT: certPath, BRUME_REDIS_TLS_KEY: keyPath }).tls.key !== undefined);
  const other = selfSigned(t);
  for (const env of [
    { BRUME_REDIS_TLS_CA: nothing },
    { BRUME_REDIS_TLS_CA: '/nonexistent/ca.crt' },
    { BRUME_REDIS_TLS_CERT: certPath, BRUME_REDIS_TLS_KEY: other.keyPath },
  ]) {
    assert.throws(() => access(env as Record<string, string>), ConfigError);
  }
});
