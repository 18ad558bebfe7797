import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientAddress } from '../../../src/planes/hooks/client-address.ts';
import { peerReader } from '../../../src/planes/hooks/peer.ts';
import { plainAddress, proxyTrust } from '../../../src/planes/hooks/proxy-trust.ts';

const trust = proxyTrust(['10.0.0.0/8', '::1/128', '2001:db8:ffff::/48']);
const proxy = { address: '10.0.0.1', isTrusted: true };
const socket = { address: undefined, isTrusted: true };
const stranger = { address: '198.51.100.1', isTrusted: false };

test('networks are matched in every spelling of an address', () => {
  for (const [text, isListed] of [
    ['10.255.0.1', true],
    ['::ffff:10.0.0.1', true],
    ['11.0.0.1', false],
    ['0:0:0:0:0:0:0:1', true],
    ['2001:DB8:FFFF:1::9', true],
    ['2001:db8:fffe::1', false],
  ] as const) {
    assert.equal(trust.includes(plainAddress(text) ?? ''), isListed, text);
  }
});

test('the list is read from the right, past listed proxies, and no further', () => {
  for (const [lines, client] of [
    [['203.0.113.1'], '203.0.113.1'],
    [['198.51.100.9, 203.0.113.1'], '203.0.113.1'],
    [['198.51.100.9', '203.0.113.1'], '203.0.113.1'],
    [['203.0.113.1, 10.0.0.7', '10.0.0.8'], '203.0.113.1'],
    [['garbage, 203.0.113.1,,10.0.0.7,'], '203.0.113.1'],
    [['10.0.0.9,10.0.0.7'], '10.0.0.9'],
    [['[2001:DB8::1]:443'], '2001:db8::1'],
    [['::ffff:203.0.113.1'], '203.0.113.1'],
  ] as const) {
    assert.equal(clientAddress(proxy, lines, trust), client);
    assert.equal(clientAddress(socket, lines, trust), client);
    assert.equal(clientAddress(stranger, lines, trust), '198.51.100.1');
  }
});

test('a trusted peer that names no client is refused', () => {
  for (const lines of [[], [''], [' , '], ['unknown'], ['203.0.113.1, x'], ['203.0.113.1, x, 10.0.0.1']]) {
    assert.throws(() => clientAddress(proxy, lines, trust), {
      code: 'bad_request',
      field: 'X-Forwarded-For',
    });
  }
  assert.throws(() => clientAddress({ address: undefined, isTrusted: false }, ['203.0.113.1'], trust), {
    code: 'bad_request',
  });
});

test('what stands left of the first stranger never changes the answer', () => {
  const forged = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 5 });
  const proxies = fc.array(fc.constantFrom('10.0.0.1', '10.9.9.9', '::1'), { maxLength: 4 });
  fc.assert(
    fc.property(forged, proxies, (left, right) => {
      assert.equal(
        clientAddress(proxy, [[...left, '203.0.113.1', ...right].join(', ')], trust),
        '203.0.113.1',
      );
    }),
  );
});

test('a connection without an address is no Unix socket once it has broken', () => {
  const broken = new Socket();
  broken.destroy();
  assert.deepEqual(peerReader(trust)(broken), { address: undefined, isTrusted: false });
});
