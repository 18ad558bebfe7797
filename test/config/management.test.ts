import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load-config.ts';
import { faultsOf } from './faults-of.ts';

const TLS = { BRUME_MANAGEMENT_TLS_CERT: '/etc/brume/m.crt', BRUME_MANAGEMENT_TLS_KEY: '/etc/brume/m.key' };

test('off loopback the management plane needs TLS, or to be told that it does not', () => {
  for (const address of ['0.0.0.0:8610', '[::]:8610', '10.0.0.5:8610', '[2001:db8::1]:8610', '128.0.0.1:1']) {
    const [fault, ...more] = faultsOf({ BRUME_MANAGEMENT_LISTEN: address });
    assert.equal(fault?.variable, 'BRUME_MANAGEMENT_LISTEN', address);
    assert.match(fault?.problem ?? '', /without TLS passwords and tokens would cross the network in clear/);
    assert.match(
      fault?.remedy ?? '',
      /BRUME_MANAGEMENT_TLS_CERT.*127\.0\.0\.1.*BRUME_MANAGEMENT_INSECURE=true/,
    );
    assert.deepEqual(more, []);
    assert.deepEqual(faultsOf({ BRUME_MANAGEMENT_LISTEN: address, ...TLS }), []);
    assert.deepEqual(faultsOf({ BRUME_MANAGEMENT_LISTEN: address, BRUME_MANAGEMENT_INSECURE: 'true' }), []);
  }
  for (const address of ['127.0.0.1:8610', '127.1.2.3:8610', '[::1]:8610', 'localhost:8610', 'off']) {
    assert.deepEqual(faultsOf({ BRUME_MANAGEMENT_LISTEN: address }), [], address);
  }
});

test('a certificate without a key, or a key without a certificate, is refused', () => {
  for (const [variable, path] of Object.entries(TLS)) {
    const [fault] = faultsOf({ [variable]: path });
    assert.match(fault?.problem ?? '', /only one of them is set/, variable);
  }
});

test('a wildcard among the origins stops the start, and says why', () => {
  for (const origins of ['*', 'https://*', 'https://*.example.com', 'https://console.example.com, *']) {
    const [fault] = faultsOf({ BRUME_MANAGEMENT_ORIGINS: origins });
    assert.equal(fault?.variable, 'BRUME_MANAGEMENT_ORIGINS');
    assert.match(fault?.problem ?? '', /is a wildcard: it would let any web page manage this Brume/, origins);
  }
});

test('an origin is taken only as browsers write it', () => {
  const wrong = [
    'null',
    'console.example.com',
    'https://console.example.com/',
    'https://Console.example.com',
    'https://console.example.com:443',
    'https://console.example.com/admin',
    'https://anna@console.example.com',
    'ftp://console.example.com',
    'https://a.example,,https://b.example',
  ];
  for (const origins of wrong) {
    assert.deepEqual(
      faultsOf({ BRUME_MANAGEMENT_ORIGINS: origins }).map(({ variable }) => variable),
      ['BRUME_MANAGEMENT_ORIGINS'],
      origins,
    );
  }
  const env = { BRUME_MANAGEMENT_ORIGINS: 'https://a.example, http://localhost:3000,http://[::1]:8080' };
  assert.deepEqual(loadConfig({ env, defaultFile: '/nonexistent' }).managementOrigins, [
    'https://a.example',
    'http://localhost:3000',
    'http://[::1]:8080',
  ]);
});

test('the token of the metrics is a secret: a bad one is refused and never shown', () => {
  for (const token of [
    'short',
    'with blanks in it, which no header has',
    'a'.repeat(257),
    'grün'.repeat(8),
  ]) {
    const [fault] = faultsOf({ BRUME_METRICS_TOKEN: token });
    assert.equal(fault?.variable, 'BRUME_METRICS_TOKEN');
    assert.equal(JSON.stringify(fault).includes(token), false, token);
  }
});

test('metrics may be allowed to everybody, but not to a hop count', () => {
  assert.deepEqual(faultsOf({ BRUME_METRICS_ALLOW: '0.0.0.0/0,::/0' }), []);
  assert.deepEqual(faultsOf({ BRUME_METRICS_ALLOW: 'none' }), []);
  assert.equal(faultsOf({ BRUME_METRICS_ALLOW: '1' }).length, 1);
});
