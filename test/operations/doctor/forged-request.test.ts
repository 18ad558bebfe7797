import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from '../../../src/operations/doctor/forged-request.ts';

const networks = (own: string, trusted: readonly string[]) =>
  new Set(
    Array.from({ length: 100 }, () => claims(own, trusted))
      .flatMap((claimed) => Object.values(claimed ?? {}))
      .map((address) => address.replace(/\.\d+$/, '')),
  );

test('each header claims another address, and all of them one network', () => {
  const claimed = Object.values(claims('10.0.0.1', []) ?? {});
  assert.ok(claimed.length > 3);
  assert.equal(new Set(claimed).size, claimed.length);
  assert.equal(new Set(claimed.map((address) => address.replace(/\.\d+$/, ''))).size, 1);
});

test('nothing is claimed that this machine has, or that a trusted proxy may have', () => {
  assert.deepEqual(networks('192.0.2.2', ['198.51.100.7/32']), new Set(['203.0.113']));
  assert.deepEqual(networks('10.0.0.1', ['192.0.0.0/8', '203.0.112.0/22']), new Set(['198.51.100']));
  assert.equal(claims('192.0.2.2', ['198.51.100.0/24', '203.0.113.0/25', 'fd00::/8']), undefined);
});
