import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SLOTS, slotOf } from '../../../../src/stores/redis/cluster/slot.ts';
import { PARTITIONS, partitionTag } from '../../../../src/stores/redis/script-keys.ts';

describe('slotOf', () => {
  it('is that of CLUSTER KEYSLOT', () => {
    assert.equal(slotOf('123456789'), 0x31c3);
    assert.equal(slotOf('foo'), 12_182);
    assert.equal(slotOf(''), 0);
  });

  it('goes by what stands in the first braces, if anything does', () => {
    assert.equal(slotOf('{user1000}.following'), slotOf('user1000'));
    assert.equal(slotOf('foo{{bar}}zap'), slotOf('{bar'));
    assert.equal(slotOf('foo{bar}{zap}'), slotOf('bar'));
    assert.notEqual(slotOf('foo{}{bar}'), slotOf('bar'));
  });

  it('gives each partition tag a slot of its own, spread evenly', () => {
    const slots = Array.from({ length: PARTITIONS }, (_, partition) => slotOf(partitionTag(partition)));
    assert.equal(new Set(slots).size, PARTITIONS);
    for (const masters of [3, 6, 12]) {
      for (let master = 0; master < masters; master++) {
        const share = slots.filter((slot) => Math.floor((slot * masters) / SLOTS) === master).length;
        assert.ok(
          Math.abs(share - PARTITIONS / masters) < (PARTITIONS / masters) * 0.3,
          `${share} of ${masters}`,
        );
      }
    }
  });
});
