import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, load } from './faults-of.ts';

test('B38: a bare number of hops is refused', () => {
  for (const text of ['1', '0', '2', '10.0.0.0/8,1']) {
    const [fault] = faultsOf({ BRUME_TRUSTED_PROXIES: text });
    assert.equal(fault?.variable, 'BRUME_TRUSTED_PROXIES');
    assert.match(fault?.problem ?? '', /bare number/);
  }
});

test('B38: the whole Internet is refused', () => {
  for (const text of [
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8, 0.0.0.0/0',
    '127.0.0.1/0',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/96',
  ]) {
    assert.equal(faultsOf({ BRUME_TRUSTED_PROXIES: text }).length, 1, text);
  }
});

test('B38: nor is it taken in halves: no network is larger than a /8, in IPv6 than a /7', () => {
  for (const text of ['0.0.0.0/1,128.0.0.0/1', '10.0.0.0/7', '::/1,8000::/1', '2000::/3', 'fc00::/6']) {
    const [fault, ...more] = faultsOf({ BRUME_TRUSTED_PROXIES: text });
    assert.equal(more.length, 0);
    assert.match(fault?.problem ?? '', /trusts more of the Internet than any one network has/, text);
  }
  assert.deepEqual(load({ BRUME_TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7' }).trustedProxies, [
    '10.0.0.0/8',
    'fc00::/7',
  ]);
});

test('B38: true, names, wrong prefixes and empty entries are refused', () => {
  const texts = [
    'true',
    '*',
    'loopback',
    'nginx.internal',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/08',
  ];
  for (const text of [
    ...texts,
    '10.0.0.0/-1',
    '1.2.3',
    '10.0.0.1,,10.0.0.2',
    '10.0.0.1,',
    'fe80::1%eth0',
    '',
    ' ',
  ]) {
    assert.equal(faultsOf({ BRUME_TRUSTED_PROXIES: text }).length, 1, text);
  }
});

test('networks and single addresses are taken; none trusts nobody', () => {
  const proxies = (text: string) => load({ BRUME_TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(proxies('10.0.0.0/8, 192.0.2.7,fd00::/8 ,2001:db8::1'), [
    '10.0.0.0/8',
    '192.0.2.7/32',
    'fd00::/8',
    '2001:db8::1/128',
  ]);
  assert.deepEqual(proxies('none'), []);
});
