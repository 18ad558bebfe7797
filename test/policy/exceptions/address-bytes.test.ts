import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { fullAddress } from '../../../src/policy/address.ts';
import { parseAddressBlock } from '../../../src/policy/exceptions/address-block.ts';
import { addressBytes, addressText } from '../../../src/policy/exceptions/address-bytes.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.oneof(
  fc.ipV6(),
  fc
    .array(fc.constantFrom('0', '1', 'ffff', 'ab'), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(':')),
);

describe('the bytes of an address', () => {
  it('are those of every canonical address, and lead back to it', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (text) => {
        const address = fullAddress(text);
        if (address === undefined) return; // fc.ipV6 also has tails that are no addresses
        const bytes = new Uint8Array(16).fill(7);
        const length = addressBytes(address, bytes);
        assert.ok(length === 4 || length === 16);
        assert.deepEqual([...bytes.subarray(0, length)], ipaddr.parse(address).toByteArray());
        assert.ok(bytes.subarray(length).every((byte) => byte === 0));
        assert.equal(addressText(bytes, length), address);
      }),
      { numRuns: 2000 },
    );
  });

  it('are none for what is no address', () => {
    for (const text of [
      ...[
        '',
        'bob',
        '1.2.3',
        '1.2.3.4.5',
        '1.2.3.256',
        '1..2.3',
        '.1.2.3',
        '1.2.3.',
        '0001.2.3.4',
        '1.2.3.x',
      ],
      ...[
        ':',
        ':::',
        '1::2::3',
        '1:2:3:4:5:6:7',
        '1:2:3:4:5:6:7:8:9',
        '12345::',
        'g::',
        '::1:',
        ':1::',
        '/128',
      ],
      ...['1:2:3:4:5:6:7::8', '::1.2.3.4', '::1/64', '1.2.3.4/128x'],
    ]) {
      assert.equal(addressBytes(text, new Uint8Array(16)), 0, text);
    }
  });
});

describe('a block of addresses', () => {
  it('has the network that masking bit by bit gives', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), fc.nat(128), (text, bits) => {
        const address = fullAddress(text);
        if (address === undefined) return;
        const kind = ipaddr.parse(address).kind();
        const prefix = kind === 'ipv4' ? bits % 33 : bits;
        const cidr = `${address}/${prefix}`;
        const network =
          kind === 'ipv4'
            ? ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()
            : ipaddr.IPv6.networkAddressFromCIDR(cidr).toRFC5952String();
        assert.deepEqual(parseAddressBlock(cidr), {
          address,
          network,
          prefix,
          isOneAddress: prefix === (kind === 'ipv4' ? 32 : 128),
        });
      }),
      { numRuns: 1000 },
    );
  });
});
