import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AddressFilterTable } from '../../../src/planes/hooks/address-filter-table.ts';
import { plainAddress } from '../../../src/planes/hooks/proxy-trust.ts';
import { canonicalAddress } from '../../../src/policy/address.ts';
import { ManualTime } from '../../support/manual-time.ts';

function filterWith(options: Partial<ConstructorParameters<typeof AddressFilterTable>[0]> = {}) {
  const clock = new ManualTime();
  return { clock, table: new AddressFilterTable({ rate: 10, burst: 5, ipv6Prefix: 64, clock, ...options }) };
}

test('the burst passes at once, then the rate, and the answer says when', async () => {
  const { clock, table } = filterWith();
  const taken = (count: number) => Array.from({ length: count }, () => table.take('a'));
  assert.deepEqual(taken(7), [0, 0, 0, 0, 0, 1, 1]);
  await clock.advance(100);
  assert.deepEqual(taken(2), [0, 1]);
  await clock.advance(250);
  assert.deepEqual(taken(3), [0, 0, 1]);
  await clock.advance(3_600_000);
  assert.deepEqual(taken(6), [0, 0, 0, 0, 0, 1]);
});

test('at any rate and burst, exactly the burst passes at once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 3000 }), (rate, burst) => {
      const { table } = filterWith({ rate, burst });
      for (let n = 0; n < burst; n++) assert.equal(table.take('a'), 0);
      assert.ok(table.take('a') > 0);
    }),
    { numRuns: 50 },
  );
});

test('what is given back was never taken, and no more comes back than was there', async () => {
  const { clock, table } = filterWith();
  for (let n = 0; n < 100; n++) {
    assert.equal(table.take('a'), 0);
    table.giveBack('a');
  }
  assert.equal(table.size, 0, 'whoever has a valid key takes no room');
  table.take('a');
  await clock.advance(10_000);
  table.giveBack('a');
  table.giveBack('a');
  assert.deepEqual(
    Array.from({ length: 6 }, () => table.take('a')),
    [0, 0, 0, 0, 0, 1],
  );
});

test('IPv6 is one by its prefix, and IPv4 each for itself', () => {
  const { table } = filterWith();
  assert.equal(table.keyOf('2001:db8:1:2::1'), table.keyOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  assert.notEqual(table.keyOf('2001:db8:1:2::1'), table.keyOf('2001:db8:1:3::1'));
  assert.equal(table.keyOf('203.0.113.1'), '203.0.113.1');
  fc.assert(
    fc.property(
      fc.ipV6(),
      fc.ipV6(),
      fc.integer({ min: 1, max: 128 }),
      fc.boolean(),
      (one, other, ipv6Prefix, isNear) => {
        const texts = [one, isNear ? one.replace(/[0-9a-f]$/, '7') : other];
        const plain = texts.map((text) => plainAddress(text));
        fc.pre(plain.every((text) => text?.includes(':')));
        const { table: cut } = filterWith({ ipv6Prefix });
        const [first, second] = plain.map((text) => cut.keyOf(text ?? ''));
        const isSame =
          canonicalAddress(texts[0] ?? '', ipv6Prefix) === canonicalAddress(texts[1] ?? '', ipv6Prefix);
        assert.equal(first === second, isSame, `${texts.join(' ')} by ${ipv6Prefix}`);
      },
    ),
  );
});

test('memory is bounded, and an address that goes on asking is not forgotten for new ones', () => {
  const { table } = filterWith({ addressesMax: 1000 });
  for (let n = 0; n < 5; n++) table.take('flooder');
  for (let n = 0; n < 20_000; n++) {
    table.take(`address ${n}`);
    assert.ok(table.size <= 1000);
    if (n % 100 === 0) assert.ok(table.take('flooder') > 0);
  }
});
