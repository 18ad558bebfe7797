import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startManagementPlane } from './plane-harness.ts';

const TOKEN = 'a-token-for-the-metrics-alone';

test('the metrics are for listed addresses: of the client, not of the proxy before it', async (t) => {
  const { call } = await startManagementPlane(t, {
    env: { BRUME_METRICS_ALLOW: '127.0.0.9,10.0.0.0/8', BRUME_TRUSTED_PROXIES: '127.0.0.1' },
  });
  assert.equal((await call('GET', '/metrics', { from: '127.0.0.9' })).status, 200);
  assert.equal((await call('GET', '/metrics', { from: '127.0.0.8' })).status, 401);
  assert.equal((await call('GET', '/metrics')).status, 401);
  const through = (address: string) => call('GET', '/metrics', { headers: { 'x-forwarded-for': address } });
  assert.equal((await through('10.1.2.3')).status, 200);
  assert.equal((await through('192.0.2.1')).status, 401);
  // Who is no proxy can't say for whom it asks.
  const forged = await call('GET', '/metrics', {
    from: '127.0.0.8',
    headers: { 'x-forwarded-for': '10.1.2.3' },
  });
  assert.equal(forged.status, 401);
});

test('the metrics are for their own token, from anywhere, and for no other', async (t) => {
  const { call, user } = await startManagementPlane(t, {
    env: { BRUME_METRICS_TOKEN: TOKEN, BRUME_METRICS_ALLOW: 'none' },
  });
  const read = await call('GET', '/metrics', { token: TOKEN });
  assert.equal(read.status, 200);
  assert.match(read.body, /^brume_build_info\{/m);
  for (const token of ['', 'x', `${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase()]) {
    const refused = await call('GET', '/metrics', { token });
    assert.deepEqual([refused.status, refused.json.code], [401, 'unauthorized'], token);
    assert.match(String(refused.headers['www-authenticate']), /^Bearer/);
  }
  // It opens nothing else, and a role in every organisation doesn't open the metrics.
  assert.equal((await call('GET', '/v1/projects', { token: TOKEN })).status, 401);
  await user('olga', { default: 'owner' });
  assert.equal((await call('GET', '/metrics', { as: 'olga' })).status, 401);
});

test('a strange page whose name leads here does not read the metrics: without the token Host is looked at', async (t) => {
  const { call } = await startManagementPlane(t, {
    env: { BRUME_METRICS_TOKEN: TOKEN, BRUME_MANAGEMENT_URL: 'https://Brume.example.org/x' },
  });
  const read = (host: string, token?: string) => call('GET', '/metrics', { headers: { host }, token });
  for (const host of [
    'evil.example',
    'evil.example:8610',
    'EVIL.example.',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'brume.example.org.evil.example',
    'xbrume.example.org',
    '127.0.0.1@evil.example',
    '[::1].evil.example',
    '127.0.0.1/evil.example',
    '..',
  ]) {
    const refused = await read(host);
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.field],
      [401, 'unauthorized', 'Host'],
      host,
    );
    assert.equal((await read(host, TOKEN)).status, 200, host);
  }
  for (const host of [
    '127.0.0.1:8610',
    '192.0.2.7',
    '[::1]:8610',
    'localhost',
    'LocalHost:1',
    'brume.localhost',
    'brume:8610',
    'brume.example.org',
    'BRUME.example.org.:443',
  ]) {
    assert.equal((await read(host)).status, 200, host);
  }
});

test('requests are counted under their declared routes', async (t) => {
  const { call } = await startManagementPlane(t);
  for (let at = 0; at < 50; at++) await call('GET', `/v1/projects/p${at}/namespaces/n${at}`);
  for (let at = 0; at < 50; at++) await call('GET', `/no/such/path/${at}`);
  const { body } = await call('GET', '/metrics');
  const lines = body.split('\n').filter((line) => /^brume_requests_total\{.*"management"/.test(line));
  assert.ok(lines.length >= 2 && lines.length <= 4, lines.join('\n'));
});
